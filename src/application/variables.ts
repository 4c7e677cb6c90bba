import { httpUrl } from '@accord-api/platform/config';
import { Type } from '@sinclair/typebox';

export const variables = {
  PAYMENT_URL: httpUrl('address of the payment gateway; unset: an embedded one that pretends, and none in production'),
  PAYMENT_TIMEOUT: Type.Integer({
    minimum: 1,
    maximum: 2500,
    default: 2000,
    description: 'milliseconds that the payment gateway gets for an attempt, of which there are up to three',
  }),
};
