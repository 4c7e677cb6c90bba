/** Where the statuses are sent that mean something of their own here. */
export const statuses = {
  201: 'A user or an order was created; `Location` is its address.',
  202: 'A payment with `Prefer: respond-async`; `Location` is where to see how it ends.',
  409: 'A taken e-mail address, an order that is not pending, the last administrator, a key in flight.',
  422: 'The request can be read and its content breaks a rule; a payment was declined.',
  501: 'Payment in production without a payment gateway; whatever the contract promises before it is built.',
  502: 'The payment gateway answered nonsense, or not at all.',
  504: 'The payment gateway took too long.',
};
