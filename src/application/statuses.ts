/** Statuses with a special meaning in this application, for the page of status codes. */
export const statuses = {
  201: 'A user or an order was created; `Location` is its address.',
  202: 'A payment with `Prefer: respond-async`; `Location` shows how it ends.',
  409: 'A taken e-mail address, an order that is not pending, the last administrator, a key in flight.',
  422: 'The content of a request breaks a rule; a payment was declined.',
  501: 'A payment in production without a gateway; an operation that is not implemented yet.',
  502: 'The payment gateway gave no valid answer.',
  504: 'The payment gateway took too long.',
};
