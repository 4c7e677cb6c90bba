import { httpUrl, secret } from '@accord-api/platform/config';
import { Type } from '@sinclair/typebox';

export const variables = {
  PAYMENT_URL: secret(httpUrl('URL of the payment gateway; unset: a simulated gateway, and none in production')),
  PAYMENT_TIMEOUT: Type.Integer({
    minimum: 1,
    maximum: 2500,
    default: 2000,
    description: 'timeout of an attempt in milliseconds; a payment has up to three attempts',
  }),
};
