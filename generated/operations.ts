// Generated from openapi.yaml by `npm run codegen`. Do not edit.
import type { Decides, NotWritten, Route } from '@accord-api/platform';
import type { Context } from '../src/application/context.js';
import type { components } from './openapi.js';
import type { Decisions } from './policy.js';

type Schemas = components['schemas'];

/** The decision that the target of a route must make. */
type DecisionOf<Name> = Name extends keyof Decisions ? Decisions[Name] : Decides;

export type UserId = Schemas['UserId'];
export type OrderId = Schemas['OrderId'];
export type UserName = Schemas['UserName'];
export type EmailAddress = Schemas['EmailAddress'];
export type Role = Schemas['Role'];
export type Password = Schemas['Password'];
export type OrderStatus = Schemas['OrderStatus'];
export type Link = Schemas['Link'];
export type Money = Schemas['Money'];
export type User = Schemas['User'];
export type UserLinks = Schemas['UserLinks'];
export type UserList = Schemas['UserList'];
export type UserPage = Schemas['UserPage'];
export type UserListOrPage = Schemas['UserListOrPage'];
export type Order = Schemas['Order'];
export type OrderLinks = Schemas['OrderLinks'];
export type OrderList = Schemas['OrderList'];
export type OrderPage = Schemas['OrderPage'];
export type OrderListOrPage = Schemas['OrderListOrPage'];
export type EntryPoint = Schemas['EntryPoint'];
export type EntryPointLinks = Schemas['EntryPointLinks'];
export type ErrorCode = Schemas['ErrorCode'];
export type Cursor = Schemas['Cursor'];
export type Timestamp = Schemas['Timestamp'];
export type Problem = Schemas['Problem'];
export type RefreshRequest = Schemas['RefreshRequest'];
export type Document = Schemas['Document'];
export type Fault = Schemas['Fault'];
export type PresentedPassword = Schemas['PresentedPassword'];
export type NewPassword = Schemas['NewPassword'];
export type LoginFlow = Schemas['LoginFlow'];
export type LoginTokens = Schemas['LoginTokens'];
export type RefreshToken = Schemas['RefreshToken'];
export type RefreshedTokens = Schemas['RefreshedTokens'];
export type SessionListOrPage = Schemas['SessionListOrPage'];
export type SessionId = Schemas['SessionId'];
export type JsonWebKeySet = Schemas['JsonWebKeySet'];
export type Liveness = Schemas['Liveness'];
export type Readiness = Schemas['Readiness'];
export type JwtLogin = Schemas['JwtLogin'];
export type OpaqueLogin = Schemas['OpaqueLogin'];
export type CookieLogin = Schemas['CookieLogin'];
export type SessionList = Schemas['SessionList'];
export type SessionPage = Schemas['SessionPage'];
export type JsonWebKey = Schemas['JsonWebKey'];
export type AccessToken = Schemas['AccessToken'];
export type Seconds = Schemas['Seconds'];
export type OpaqueToken = Schemas['OpaqueToken'];
export type Session = Schemas['Session'];

/** The headers of all replies. */
type HeaderName = 'cache-control' | 'content-location' | 'etag' | 'link' | 'location' | 'preference-applied' | 'set-cookie' | 'x-total-count';

/** These headers, and none of another reply. */
type Only<Headers> = Headers & { [Other in Exclude<HeaderName, keyof Headers>]?: never };

type NoHeaders = { [Other in HeaderName]?: never };

/** The request of `listUsers`. */
export interface ListUsersRequest {
  query: {
    /** The greatest number of entries, in the offset and cursor styles. 20 when absent. */
    limit?: number;
    /** The number of entries to skip, in the offset style. 0 when absent. */
    offset?: number;
    /** The number of the page, counted from 1, in the page style. 1 when absent. */
    page?: number;
    /** The greatest number of entries of a page, in the page style. 20 when absent. */
    per_page?: number;
    /** Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400. */
    after?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `listUsers`. */
export type ListUsersReply =
  | { status: 200; headers?: Only<{ link?: string; 'x-total-count'?: number }>; body: UserListOrPage }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 413 | 422 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * List users
 *
 * GET /api/v1/users
 *
 * All users, by id, in one of the three pagination styles.
 *
 * Permission users.list: viewer any, developer any, admin any.
 *
 * - 200: Users. An array, or with `after` a page with a cursor.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 413
 *   PAYLOAD_TOO_LARGE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type ListUsers = Route<ListUsersRequest, ListUsersReply, DecisionOf<'listUsers'>> | NotWritten;

export type CreateUserRequestBody = Schemas['CreateUserRequest'];

/** The request of `createUser`. */
export interface CreateUserRequest {
  headers: {
    /** A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422. */
    'idempotency-key'?: string;
  };
  body: CreateUserRequestBody;
}

/** The replies of `createUser`. */
export type CreateUserReply =
  | { status: 201; headers: Only<{ location: string; etag: string }>; body: User }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Create a user
 *
 * POST /api/v1/users
 *
 * Creates a user and answers with it. Without `password` the account cannot log in until one is set.
 * An e-mail address that is in use is 409; upper and lower case are the same.
 *
 * Permission users.create: viewer none, developer none, admin any.
 *
 * - 201: The user was created.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type CreateUser = Route<CreateUserRequest, CreateUserReply, DecisionOf<'createUser'>> | NotWritten;

/** The request of `getUser`. */
export interface GetUserRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getUser`. */
export type GetUserReply =
  | { status: 200; headers: Only<{ etag: string }>; body: User }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get a user
 *
 * GET /api/v1/users/{user_id}
 *
 * One user. 410 when the user was deleted, 404 when there never was one with this id.
 *
 * Permission users.read: viewer any, developer any, admin any.
 *
 * - 200: The user.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetUser = Route<GetUserRequest, GetUserReply, DecisionOf<'getUser'>> | NotWritten;

export type ReplaceUserRequestBody = Schemas['ReplaceUserRequest'];

/** The request of `replaceUser`. */
export interface ReplaceUserRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  headers: {
    /** Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly. */
    'if-match'?: string;
    /** `return=minimal` for 204 without a body, `return=representation`, as when absent, for 200 with the user. Other preferences are ignored (RFC 7240). */
    prefer?: string;
  };
  body: ReplaceUserRequestBody;
}

/** The replies of `replaceUser`. */
export type ReplaceUserReply =
  | { status: 200; headers: Only<{ etag: string; 'preference-applied'?: string }>; body: User }
  | { status: 204; headers: Only<{ etag: string; 'preference-applied'?: string }> }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Replace a user
 *
 * PUT /api/v1/users/{user_id}
 *
 * Replaces name, e-mail address and role; all three are required. Naming the role that the user has is no
 * change; naming another is for admins. The last admin cannot be demoted (409).
 *
 * Permission users.update: viewer own, developer own, admin any.
 * Permission users.set-role: viewer none, developer none, admin any; when role differs from the stored one.
 *
 * - 200: The user, as it is now.
 * - 204: Done, under `Prefer` with `return=minimal`. No body; the tag names the new state.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 410 GONE, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415
 *   UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507
 *   INSUFFICIENT_STORAGE
 */
export type ReplaceUser = Route<ReplaceUserRequest, ReplaceUserReply, DecisionOf<'replaceUser'>> | NotWritten;

export type UpdateUserRequestBody = Schemas['UpdateUserRequest'];

/** The request of `updateUser`. */
export interface UpdateUserRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  headers: {
    /** Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly. */
    'if-match'?: string;
    /** `return=minimal` for 204 without a body, `return=representation`, as when absent, for 200 with the user. Other preferences are ignored (RFC 7240). */
    prefer?: string;
  };
  body: UpdateUserRequestBody;
}

/** The replies of `updateUser`. */
export type UpdateUserReply =
  | { status: 200; headers: Only<{ etag: string; 'preference-applied'?: string }>; body: User }
  | { status: 204; headers: Only<{ etag: string; 'preference-applied'?: string }> }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Update a user
 *
 * PATCH /api/v1/users/{user_id}
 *
 * Changes the members that are given and leaves the others. As a merge patch (RFC 7396) or as plain JSON, with
 * the same meaning; as no member can be removed, `null` is a wrong type (400). An empty object changes nothing.
 *
 * Permission users.update: viewer own, developer own, admin any.
 * Permission users.set-role: viewer none, developer none, admin any; when role differs from the stored one.
 *
 * - 200: The user, as it is now.
 * - 204: Done, under `Prefer` with `return=minimal`. No body; the tag names the new state.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 410 GONE, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415
 *   UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507
 *   INSUFFICIENT_STORAGE
 */
export type UpdateUser = Route<UpdateUserRequest, UpdateUserReply, DecisionOf<'updateUser'>> | NotWritten;

/** The request of `deleteUser`. */
export interface DeleteUserRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  headers: {
    /** Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly. */
    'if-match'?: string;
    /** `return=representation` for 200 with the user that was deleted; `return=minimal`, as when absent, for 204 without a body. Other preferences are ignored (RFC 7240). */
    prefer?: string;
  };
}

/** The replies of `deleteUser`. */
export type DeleteUserReply =
  | { status: 200; headers?: Only<{ 'preference-applied'?: string }>; body: User }
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 412 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Delete a user
 *
 * DELETE /api/v1/users/{user_id}
 *
 * Deletes the user, with the user's posts, comments, messages, orders and tokens, all or nothing. Answers 204, or
 * 200 with the deleted user under `Prefer: return=representation`. Deleting again is 404; every other method on
 * the id is 410 from now on. The last admin, and a user with an order in `processing`, cannot be deleted (409).
 *
 * Permission users.delete: viewer own, developer own, admin any.
 *
 * - 200: The user was deleted, under `Prefer` with `return=representation`. The body is the user as it was.
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type DeleteUser = Route<DeleteUserRequest, DeleteUserReply, DecisionOf<'deleteUser'>> | NotWritten;

/** The request of `listOrders`. */
export interface ListOrdersRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  query: {
    /** The greatest number of entries, in the offset and cursor styles. 20 when absent. */
    limit?: number;
    /** The number of entries to skip, in the offset style. 0 when absent. */
    offset?: number;
    /** The number of the page, counted from 1, in the page style. 1 when absent. */
    page?: number;
    /** The greatest number of entries of a page, in the page style. 20 when absent. */
    per_page?: number;
    /** Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400. */
    after?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `listOrders`. */
export type ListOrdersReply =
  | { status: 200; headers?: Only<{ link?: string; 'x-total-count'?: number }>; body: OrderListOrPage }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 413 | 422 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * List orders of a user
 *
 * GET /api/v1/users/{user_id}/orders
 *
 * All orders of a user, by id, in one of the three pagination styles.
 *
 * Permission orders.list: viewer own, developer any, admin any.
 *
 * - 200: Orders. An array, or with `after` a page with a cursor.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 413
 *   PAYLOAD_TOO_LARGE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type ListOrders = Route<ListOrdersRequest, ListOrdersReply, DecisionOf<'listOrders'>> | NotWritten;

export type CreateOrderRequestBody = Schemas['CreateOrderRequest'];

/** The request of `createOrder`. */
export interface CreateOrderRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
  };
  headers: {
    /** A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422. */
    'idempotency-key'?: string;
  };
  body: CreateOrderRequestBody;
}

/** The replies of `createOrder`. */
export type CreateOrderReply =
  | { status: 201; headers: Only<{ location: string; etag: string }>; body: Order }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Create an order
 *
 * POST /api/v1/users/{user_id}/orders
 *
 * Creates an order of the given total for a user. It starts as `pending`.
 *
 * Permission orders.create: viewer own, developer own, admin any.
 *
 * - 201: The order was created.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 410 GONE, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED,
 *   429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type CreateOrder = Route<CreateOrderRequest, CreateOrderReply, DecisionOf<'createOrder'>> | NotWritten;

/** The request of `getUserOrder`. */
export interface GetUserOrderRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
    /** The id of an order. */
    order_id: OrderId;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getUserOrder`. */
export type GetUserOrderReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Order }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get an order of a user
 *
 * GET /api/v1/users/{user_id}/orders/{order_id}
 *
 * One order, by its user. 404 when the order belongs to another user.
 *
 * Permission orders.read: viewer own, developer any, admin any.
 *
 * - 200: The order.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetUserOrder = Route<GetUserOrderRequest, GetUserOrderReply, DecisionOf<'getUserOrder'>> | NotWritten;

/** The request of `getOrder`. */
export interface GetOrderRequest {
  path: {
    /** The id of an order. */
    order_id: OrderId;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getOrder`. */
export type GetOrderReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Order }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get an order
 *
 * GET /api/v1/orders/{order_id}
 *
 * One order, by its id alone. Also the address to poll after an asynchronous payment.
 *
 * Permission orders.read: viewer own, developer any, admin any.
 *
 * - 200: The order.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetOrder = Route<GetOrderRequest, GetOrderReply, DecisionOf<'getOrder'>> | NotWritten;

/** The request of `cancelOrder`. */
export interface CancelOrderRequest {
  path: {
    /** The id of a `pending` order. */
    order_id: OrderId;
  };
}

/** The replies of `cancelOrder`. */
export type CancelOrderReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Order }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Cancel an order
 *
 * POST /api/v1/orders/{order_id}/cancel
 *
 * Cancels a `pending` order; any other is 409. Takes no body.
 *
 * Permission orders.cancel: viewer own, developer own, admin any.
 *
 * - 200: The order is cancelled.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 410 GONE, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type CancelOrder = Route<CancelOrderRequest, CancelOrderReply, DecisionOf<'cancelOrder'>> | NotWritten;

export type PayOrderRequestBody = Schemas['PayOrderRequest'];

/** The request of `payOrder`. */
export interface PayOrderRequest {
  path: {
    /** The id of a `pending` order. */
    order_id: OrderId;
  };
  headers: {
    /** A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422. */
    'idempotency-key'?: string;
    /** `respond-async` for 202 at once, while the payment is processed. Other preferences are ignored (RFC 7240). */
    prefer?: string;
  };
  body: PayOrderRequestBody | undefined;
}

/** The replies of `payOrder`. */
export type PayOrderReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Order }
  | { status: 202; headers: Only<{ location: string; etag: string; 'preference-applied'?: string }>; body: Order }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 501 | 502 | 503 | 504 | 507; headers?: NoHeaders; body: Problem };

/**
 * Pay an order
 *
 * POST /api/v1/orders/{order_id}/payment
 *
 * Pays a `pending` order; any other is 409. A declined payment is 422 with the code `PAYMENT_DECLINED`, and the
 * order stays `pending`. With `Prefer: respond-async` the answer is 202 with the order in `processing`: ask for
 * the order at `Location` until it is `paid`, or `pending` again because the payment did not succeed.
 *
 * While the payment gateway is asked the order is `processing`, and nobody else can pay or cancel it. A gateway
 * that fails is 502, one that takes too long 504. When it has certainly taken nothing, the order is `pending`
 * again; when it may have taken the payment, the order stays `processing`, and the service asks on until it is
 * `paid` or `pending`. The request's `Idempotency-Key` is in flight (409) until then, and afterwards repeats the
 * answer of a payment that succeeded. No payment is ever taken twice.
 *
 * Outside production an embedded gateway settles payments. Its test tokens:
 *
 * | `payment_token` | outcome |
 * |---|---|
 * | `tok_ok`, or none | settles |
 * | `tok_decline` | is declined (422) |
 * | `tok_delay` | settles late; best with `Prefer: respond-async` |
 * | `tok_fail` | the gateway fails (502) |
 * | any other | is declined (422) |
 *
 * In production without a gateway the answer is 501, and nothing is settled.
 *
 * Permission orders.pay: viewer own, developer own, admin any.
 *
 * - 200: The order is paid.
 * - 202: The payment is being processed. Ask for the order at `Location` to see how it ends.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 410 GONE, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 PAYMENT_DECLINED,
 *   429 RATE_LIMITED, 500 INTERNAL, 501 NOT_IMPLEMENTED, 502 BAD_GATEWAY, 503 UNAVAILABLE, 504 GATEWAY_TIMEOUT, 507
 *   INSUFFICIENT_STORAGE
 */
export type PayOrder = Route<PayOrderRequest, PayOrderReply, DecisionOf<'payOrder'>> | NotWritten;

/** The request of `getCurrentUser`. */
export interface GetCurrentUserRequest {
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getCurrentUser`. */
export type GetCurrentUserReply =
  | { status: 200; headers: Only<{ etag: string }>; body: User }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get the current user
 *
 * GET /api/v1/auth/me
 *
 * The user whose credentials the request carries. When that user was deleted it is 401, or 410 in the second that
 * the deletion takes to reach every instance.
 *
 * Permission users.read: viewer any, developer any, admin any.
 *
 * - 200: The user.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetCurrentUser = Route<GetCurrentUserRequest, GetCurrentUserReply, DecisionOf<'getCurrentUser'>> | NotWritten;

/** The request of `getRoot`, which has no parameters and no body. */
export type GetRootRequest = Record<string, never>;

/** The replies of `getRoot`. */
export type GetRootReply =
  | { status: 200; headers?: NoHeaders; body: EntryPoint }
  | { status: 302; headers: Only<{ location: string }> }
  | { status: 400 | 403 | 503; headers?: NoHeaders; body: Problem };

/**
 * List the entry points
 *
 * GET /
 *
 * For who prefers JSON (`Accept: application/json`) links to what is served, by the relations of RFC 8631; anybody else is
 * sent to the documentation at `/docs`.
 *
 * Permission: public.
 *
 * - 200: The addresses of all that is served.
 * - 302: To `/docs`.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 503 UNAVAILABLE
 */
export type GetRoot = (request: GetRootRequest, context: Context) => Promise<GetRootReply>;

/** The request of `getOpenApiYaml`. */
export interface GetOpenApiYamlRequest {
  query: {
    /** One release of the contracts, as `Content-Location` names it. A release never changes; it is 404 when the service has another one. */
    release?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
    /** One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document. */
    range?: string;
    /** Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent. */
    'if-range'?: string;
  };
}

/** The replies of `getOpenApiYaml`. */
export type GetOpenApiYamlReply =
  | { status: 200; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string | Uint8Array }
  | { status: 206; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string | Uint8Array }
  | { status: 304; headers: Only<{ 'content-location': string; 'cache-control': string }> }
  | { status: 400 | 403 | 404 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get this contract as YAML
 *
 * GET /openapi.yaml
 *
 * This document. Its first server is the address that it is asked for at.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - 206: The part of the document that `Range` asks for.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 404 NOT_FOUND, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetOpenApiYaml = (request: GetOpenApiYamlRequest, context: Context) => Promise<GetOpenApiYamlReply>;

/** The request of `getOpenApiJson`. */
export interface GetOpenApiJsonRequest {
  query: {
    /** One release of the contracts, as `Content-Location` names it. A release never changes; it is 404 when the service has another one. */
    release?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
    /** One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document. */
    range?: string;
    /** Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent. */
    'if-range'?: string;
  };
}

/** The replies of `getOpenApiJson`. */
export type GetOpenApiJsonReply =
  | { status: 200; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: Document | Uint8Array }
  | { status: 206; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string }
  | { status: 304; headers: Only<{ 'content-location': string; 'cache-control': string }> }
  | { status: 400 | 403 | 404 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get this contract as JSON
 *
 * GET /openapi.json
 *
 * This document, as JSON for tools.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - 206: The part of the document that `Range` asks for. A piece of JSON, not a JSON value.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 404 NOT_FOUND, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetOpenApiJson = (request: GetOpenApiJsonRequest, context: Context) => Promise<GetOpenApiJsonReply>;

/** The request of `getGraphqlSchema`. */
export interface GetGraphqlSchemaRequest {
  query: {
    /** One release of the contracts, as `Content-Location` names it. A release never changes; it is 404 when the service has another one. */
    release?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
    /** One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document. */
    range?: string;
    /** Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent. */
    'if-range'?: string;
  };
}

/** The replies of `getGraphqlSchema`. */
export type GetGraphqlSchemaReply =
  | { status: 200; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string | Uint8Array }
  | { status: 206; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string | Uint8Array }
  | { status: 304; headers: Only<{ 'content-location': string; 'cache-control': string }> }
  | { status: 400 | 403 | 404 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get the GraphQL contract
 *
 * GET /schema.graphql
 *
 * The schema of `POST /graphql`, in the GraphQL schema definition language.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - 206: The part of the document that `Range` asks for.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 404 NOT_FOUND, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetGraphqlSchema = (request: GetGraphqlSchemaRequest, context: Context) => Promise<GetGraphqlSchemaReply>;

/** The request of `getGraphqlIntrospection`. */
export interface GetGraphqlIntrospectionRequest {
  query: {
    /** One release of the contracts, as `Content-Location` names it. A release never changes; it is 404 when the service has another one. */
    release?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
    /** One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document. */
    range?: string;
    /** Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent. */
    'if-range'?: string;
  };
}

/** The replies of `getGraphqlIntrospection`. */
export type GetGraphqlIntrospectionReply =
  | { status: 200; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: Document | Uint8Array }
  | { status: 206; headers: Only<{ 'content-location': string; 'cache-control': string }>; body: string }
  | { status: 304; headers: Only<{ 'content-location': string; 'cache-control': string }> }
  | { status: 400 | 403 | 404 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get the GraphQL contract as JSON
 *
 * GET /schema.json
 *
 * The schema of `POST /graphql`, as the answer to an introspection query, for tools that take no SDL.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - 206: The part of the document that `Range` asks for. A piece of JSON, not a JSON value.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 404 NOT_FOUND, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetGraphqlIntrospection = (request: GetGraphqlIntrospectionRequest, context: Context) => Promise<GetGraphqlIntrospectionReply>;

export type ChangePasswordRequestBody = Schemas['ChangePasswordRequest'];

/** The request of `changePassword`. */
export interface ChangePasswordRequest {
  path: {
    /** The id of a user. */
    user_id: number;
  };
  body: ChangePasswordRequestBody;
}

/** The replies of `changePassword`. */
export type ChangePasswordReply =
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 410 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Change a password
 *
 * PUT /api/v1/users/{user_id}/password
 *
 * Sets the password of a user. For one's own account `current_password` is needed, and a wrong or missing one is
 * 422 with its pointer; an admin who sets the password of somebody else leaves it out. All sessions of the user
 * end, and access tokens issued before are refused within a second.
 *
 * Permission users.set-password: viewer own, developer own, admin any.
 *
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 410 GONE, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type ChangePassword = Route<ChangePasswordRequest, ChangePasswordReply, DecisionOf<'changePassword'>> | NotWritten;

export type LoginRequestBody = Schemas['LoginRequest'];

/** The request of `login`. */
export interface LoginRequest {
  body: LoginRequestBody;
}

/** The replies of `login`. */
export type LoginReply =
  | { status: 200; headers?: Only<{ 'set-cookie'?: Array<string> }>; body: LoginTokens }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Log in
 *
 * POST /api/v1/auth/login
 *
 * Exchanges an e-mail address and a password for tokens, and starts a session. `flow` chooses between an access
 * token with a refresh token (`jwt`) and a single opaque token (`opaque`). With `cookie` the tokens come as
 * cookies and the body holds only their lifetime. Answers for an unknown address and for a
 * wrong password are the same and take the same time. Repeated failures are answered with 429 and growing waits (see
 * the rate limits); when many log in at once, those who ask for most are answered with 503.
 *
 * Permission: public.
 *
 * - 200: The tokens of a new session, by flow; or their lifetime alone, when they come as cookies.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type Login = (request: LoginRequest, context: Context) => Promise<LoginReply>;

export type RefreshSessionRequestBody = RefreshRequest;

/** The request of `refreshSession`. */
export interface RefreshSessionRequest {
  cookies: {
    /** The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it. */
    accord_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; set with it over HTTPS, as `__Host-accord_session`. A refresh cookie that comes over HTTPS without it, or with that of another session, is 401. */
    accord_session?: string;
  };
  body: RefreshSessionRequestBody | undefined;
}

/** The replies of `refreshSession`. */
export type RefreshSessionReply =
  | { status: 200; headers?: Only<{ 'set-cookie'?: Array<string> }>; body: RefreshedTokens }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Renew an access token
 *
 * POST /api/v1/auth/refresh
 *
 * Exchanges a refresh token, from the body or from its cookie, for a new access token and the next refresh token.
 * The answer comes the way the token came: in the body, or as cookies. The body wins over the cookie.
 * Without a token it is 400; an unknown, expired, used or revoked one is 401. When a token is used a second time, or
 * after another successor of the same token, the whole session ends (see Authentication).
 *
 * Permission: public.
 *
 * - 200: The next tokens of the session; or their lifetime alone, when they come as cookies.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type RefreshSession = (request: RefreshSessionRequest, context: Context) => Promise<RefreshSessionReply>;

export type LogoutRequestBody = RefreshRequest;

/** The request of `logout`. */
export interface LogoutRequest {
  cookies: {
    /** The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it. */
    accord_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; set with it over HTTPS, as `__Host-accord_session`. A refresh cookie that comes over HTTPS without it, or with that of another session, is 401. */
    accord_session?: string;
  };
  body: LogoutRequestBody | undefined;
}

/** The replies of `logout`. */
export type LogoutReply =
  | { status: 204; headers?: Only<{ 'set-cookie'?: Array<string> }> }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Log out
 *
 * POST /api/v1/auth/logout
 *
 * Ends one session: that of the refresh token in the body or in its cookie, or that of the opaque token under
 * which the request comes; the first of these that is there. Also 204 when the session was gone already. Clears
 * both cookies. Without any of these tokens it is 400, and 401 where an `Authorization` header holds something
 * else. An access token of the `jwt` flow lives out its 15 minutes.
 *
 * Permission: public.
 *
 * - 204: The session has ended. Both cookies are cleared.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type Logout = (request: LogoutRequest, context: Context) => Promise<LogoutReply>;

/** The request of `listSessions`. */
export interface ListSessionsRequest {
  query: {
    /** The greatest number of entries, in the offset and cursor styles. 20 when absent. */
    limit?: number;
    /** The number of entries to skip, in the offset style. 0 when absent. */
    offset?: number;
    /** The number of the page, counted from 1, in the page style. 1 when absent. */
    page?: number;
    /** The greatest number of entries of a page, in the page style. 20 when absent. */
    per_page?: number;
    /** Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400. */
    after?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `listSessions`. */
export type ListSessionsReply =
  | { status: 200; headers?: Only<{ link?: string; 'x-total-count'?: number }>; body: SessionListOrPage }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 413 | 422 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * List own sessions
 *
 * GET /api/v1/auth/sessions
 *
 * The live sessions of the caller, oldest first, in one of the three pagination styles.
 *
 * Permission sessions.read: viewer own, developer own, admin own.
 *
 * - 200: Sessions. An array, or with `after` a page with a cursor.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 413
 *   PAYLOAD_TOO_LARGE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type ListSessions = Route<ListSessionsRequest, ListSessionsReply, DecisionOf<'listSessions'>> | NotWritten;

/** The request of `revokeOtherSessions`, which has no parameters and no body. */
export type RevokeOtherSessionsRequest = Record<string, never>;

/** The replies of `revokeOtherSessions`. */
export type RevokeOtherSessionsReply =
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Revoke all other sessions
 *
 * DELETE /api/v1/auth/sessions
 *
 * Ends all sessions of the caller but the one that the request belongs to. Under Basic it ends them all.
 *
 * Permission sessions.revoke: viewer own, developer own, admin own.
 *
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429 RATE_LIMITED, 500 INTERNAL, 503
 *   UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type RevokeOtherSessions = Route<RevokeOtherSessionsRequest, RevokeOtherSessionsReply, DecisionOf<'revokeOtherSessions'>> | NotWritten;

/** The request of `revokeSession`. */
export interface RevokeSessionRequest {
  path: {
    /** The id of a session. */
    session_id: SessionId;
  };
}

/** The replies of `revokeSession`. */
export type RevokeSessionReply =
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Revoke a session
 *
 * DELETE /api/v1/auth/sessions/{session_id}
 *
 * Ends one session of the caller. 404 when the caller has no live session with this id.
 *
 * Permission sessions.revoke: viewer own, developer own, admin own.
 *
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429 RATE_LIMITED, 500 INTERNAL, 503
 *   UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type RevokeSession = Route<RevokeSessionRequest, RevokeSessionReply, DecisionOf<'revokeSession'>> | NotWritten;

/** The request of `getJwks`. */
export interface GetJwksRequest {
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getJwks`. */
export type GetJwksReply =
  | { status: 200; headers?: NoHeaders; body: JsonWebKeySet }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 403 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get the public keys
 *
 * GET /.well-known/jwks.json
 *
 * The keys that verify access tokens, as a JSON Web Key Set (RFC 7517): the present one, the next one before it
 * signs, and old ones until their last token has expired. Empty when the service signs with a shared secret
 * (HS256). Unversioned; the answer is `application/json` for every `Accept`.
 *
 * Permission: public.
 *
 * - 200: The key set.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetJwks = (request: GetJwksRequest, context: Context) => Promise<GetJwksReply>;

/** The request of `getLiveness`, which has no parameters and no body. */
export type GetLivenessRequest = Record<string, never>;

/** The replies of `getLiveness`. */
export type GetLivenessReply =
  | { status: 200; headers?: NoHeaders; body: Liveness }
  | { status: 400 | 403; headers?: NoHeaders; body: Problem };

/**
 * Is the process alive?
 *
 * GET /livez
 *
 * For a liveness probe. Answers as long as the process runs, also under overload and without a database.
 *
 * Permission: public.
 *
 * - 200: The process is alive.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN
 */
export type GetLiveness = (request: GetLivenessRequest, context: Context) => Promise<GetLivenessReply>;

/** The request of `getReadiness`, which has no parameters and no body. */
export type GetReadinessRequest = Record<string, never>;

/** The replies of `getReadiness`. */
export type GetReadinessReply =
  | { status: 200; headers?: NoHeaders; body: Readiness }
  | { status: 400 | 403 | 500; headers?: NoHeaders; body: Problem }
  | { status: 503; headers?: NoHeaders; body: Readiness };

/**
 * Is the service ready?
 *
 * GET /readyz
 *
 * For a readiness probe. 503 while the service starts, stops or misses something that it needs; the body is the
 * same report either way. An overloaded service is ready, and `degraded`.
 *
 * Permission: public.
 *
 * - 200: Ready for requests.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 500 INTERNAL, 503
 */
export type GetReadiness = (request: GetReadinessRequest, context: Context) => Promise<GetReadinessReply>;

/** The request of `getMetrics`, which has no parameters and no body. */
export type GetMetricsRequest = Record<string, never>;

/** The replies of `getMetrics`. */
export type GetMetricsReply =
  | { status: 200; headers?: NoHeaders; body: string | Uint8Array }
  | { status: 400 | 401 | 403 | 500; headers?: NoHeaders; body: Problem };

/**
 * Get the metrics
 *
 * GET /metrics
 *
 * Counters and timings in the text format of Prometheus. With a metrics token configured it is needed as a
 * bearer. Without one they are given to who calls from the same machine directly, and anyone else gets 401; with a
 * trusted proxy configured so does everyone. Answers also under overload.
 *
 * Permission: public.
 *
 * - 200: The metrics.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 500 INTERNAL
 */
export type GetMetrics = (request: GetMetricsRequest, context: Context) => Promise<GetMetricsReply>;

/** src/application/rest/users.ts: People with an account, and their passwords. */
export interface UsersHandlers {
  listUsers: ListUsers;
  createUser: CreateUser;
  getUser: GetUser;
  replaceUser: ReplaceUser;
  updateUser: UpdateUser;
  deleteUser: DeleteUser;
  changePassword?: ChangePassword;
}

/** src/application/rest/orders.ts: Orders of a user. An order is `pending` until it is paid or cancelled: */
export interface OrdersHandlers {
  listOrders: ListOrders;
  createOrder: CreateOrder;
  getUserOrder: GetUserOrder;
  getOrder: GetOrder;
  cancelOrder: CancelOrder;
  payOrder: PayOrder;
}

/** src/application/rest/platform.ts: Health, metrics and the published contracts. Unversioned, and not counted by the rate limit. */
export interface PlatformHandlers {
  getRoot: GetRoot;
  getOpenApiYaml?: GetOpenApiYaml;
  getOpenApiJson?: GetOpenApiJson;
  getGraphqlSchema?: GetGraphqlSchema;
  getGraphqlIntrospection?: GetGraphqlIntrospection;
  getLiveness?: GetLiveness;
  getReadiness?: GetReadiness;
  getMetrics?: GetMetrics;
}

/** src/application/rest/auth.ts: Logging in and out, and the sessions that come of it. */
export interface AuthHandlers {
  getCurrentUser: GetCurrentUser;
  login?: Login;
  refreshSession?: RefreshSession;
  logout?: Logout;
  listSessions?: ListSessions;
  revokeOtherSessions?: RevokeOtherSessions;
  revokeSession?: RevokeSession;
}

/** src/application/rest/keys.ts: The public keys that verify access tokens. */
export interface KeysHandlers {
  getJwks?: GetJwks;
}

/** All handlers, by tag. */
export interface Handlers {
  users: UsersHandlers;
  orders: OrdersHandlers;
  platform: PlatformHandlers;
  auth: AuthHandlers;
  keys?: KeysHandlers;
}

/** True for identical types. Ends the walk through a recursive schema. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Types without members to declare. */
type Plain = string | number | boolean | null | undefined | Uint8Array;

type KeysOf<Type> = Type extends unknown ? keyof Type : never;
type ItemOf<Type> = Type extends readonly (infer Item)[] ? Item : never;
type MemberOf<Type, Name> = Type extends unknown ? (Name extends keyof Type ? Type[Name] : never) : never;

/** The paths of all undeclared members; none for an object whose members the contract leaves open. */
type Surplus<Actual, Declared, Path extends string> =
  Same<Actual, Declared> extends true ? never
  : unknown extends Declared ? never
  : Actual extends Plain ? never
  : Actual extends readonly (infer Item)[] ? Surplus<Item, ItemOf<Declared>, `${Path}[]`>
  : string extends keyof Actual ? never
  : SurplusMembers<Actual, Exclude<Declared, Plain | readonly unknown[]>, Path>;

type SurplusMembers<Actual, Declared, Path extends string> =
  string extends KeysOf<Declared> ? never
  : {
      [Name in keyof Actual & string]-?:
        // The member belongs to another literal of a union.
        [Actual[Name]] extends [undefined] ? never
        : Name extends KeysOf<Declared> ? Surplus<Actual[Name], MemberOf<Declared, Name>, `${Path}.${Name}`>
        : `${Path}.${Name}`;
    }[keyof Actual & string];

/** The declared replies with one of these statuses. */
type WithStatus<Declared, Status> = Declared extends { status: infer Own } ? (Own & Status extends never ? never : Declared) : never;
type SurplusOf<Reply, Declared> = Reply extends { status: infer Status } ? Surplus<Reply, WithStatus<Declared, Status>, 'reply'> : never;

type ReplyOf<Handler> =
  Handler extends Route<never, infer Reply> ? Reply
  : Handler extends (...args: never[]) => Promise<infer Reply> ? Reply
  : never;

/** Replaces the type of a handler without an operation, or with an undeclared reply, by a sentence that names the fault. */
export type Closed<Actual, Declared> = {
  [Name in keyof Actual]: Name extends keyof Declared
    ? [SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>] extends [never]
      ? unknown
      : `'${SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>}' is not in openapi.yaml`
    : `'${Name & string}' is not an operationId of this tag in openapi.yaml`;
};

/** Checks the handlers of `users`: one for each required operation, and no reply that the contract does not declare. */
export const usersHandlers = <Actual extends UsersHandlers>(handlers: Actual & Closed<Actual, UsersHandlers>): UsersHandlers => handlers;

/** Checks the handlers of `orders`: one for each required operation, and no reply that the contract does not declare. */
export const ordersHandlers = <Actual extends OrdersHandlers>(handlers: Actual & Closed<Actual, OrdersHandlers>): OrdersHandlers => handlers;

/** Checks the handlers of `platform`: one for each required operation, and no reply that the contract does not declare. */
export const platformHandlers = <Actual extends PlatformHandlers>(handlers: Actual & Closed<Actual, PlatformHandlers>): PlatformHandlers => handlers;

/** Checks the handlers of `auth`: one for each required operation, and no reply that the contract does not declare. */
export const authHandlers = <Actual extends AuthHandlers>(handlers: Actual & Closed<Actual, AuthHandlers>): AuthHandlers => handlers;

/** Checks the handlers of `keys`: one for each required operation, and no reply that the contract does not declare. */
export const keysHandlers = <Actual extends KeysHandlers>(handlers: Actual & Closed<Actual, KeysHandlers>): KeysHandlers => handlers;

/** The method, path and tag of each operation. */
export const operations = {
  listUsers: { method: 'GET', path: '/api/v1/users', tag: 'users' },
  createUser: { method: 'POST', path: '/api/v1/users', tag: 'users' },
  getUser: { method: 'GET', path: '/api/v1/users/{user_id}', tag: 'users' },
  replaceUser: { method: 'PUT', path: '/api/v1/users/{user_id}', tag: 'users' },
  updateUser: { method: 'PATCH', path: '/api/v1/users/{user_id}', tag: 'users' },
  deleteUser: { method: 'DELETE', path: '/api/v1/users/{user_id}', tag: 'users' },
  listOrders: { method: 'GET', path: '/api/v1/users/{user_id}/orders', tag: 'orders' },
  createOrder: { method: 'POST', path: '/api/v1/users/{user_id}/orders', tag: 'orders' },
  getUserOrder: { method: 'GET', path: '/api/v1/users/{user_id}/orders/{order_id}', tag: 'orders' },
  getOrder: { method: 'GET', path: '/api/v1/orders/{order_id}', tag: 'orders' },
  cancelOrder: { method: 'POST', path: '/api/v1/orders/{order_id}/cancel', tag: 'orders' },
  payOrder: { method: 'POST', path: '/api/v1/orders/{order_id}/payment', tag: 'orders' },
  getCurrentUser: { method: 'GET', path: '/api/v1/auth/me', tag: 'auth' },
  getRoot: { method: 'GET', path: '/', tag: 'platform' },
  getOpenApiYaml: { method: 'GET', path: '/openapi.yaml', tag: 'platform' },
  getOpenApiJson: { method: 'GET', path: '/openapi.json', tag: 'platform' },
  getGraphqlSchema: { method: 'GET', path: '/schema.graphql', tag: 'platform' },
  getGraphqlIntrospection: { method: 'GET', path: '/schema.json', tag: 'platform' },
  changePassword: { method: 'PUT', path: '/api/v1/users/{user_id}/password', tag: 'users' },
  login: { method: 'POST', path: '/api/v1/auth/login', tag: 'auth' },
  refreshSession: { method: 'POST', path: '/api/v1/auth/refresh', tag: 'auth' },
  logout: { method: 'POST', path: '/api/v1/auth/logout', tag: 'auth' },
  listSessions: { method: 'GET', path: '/api/v1/auth/sessions', tag: 'auth' },
  revokeOtherSessions: { method: 'DELETE', path: '/api/v1/auth/sessions', tag: 'auth' },
  revokeSession: { method: 'DELETE', path: '/api/v1/auth/sessions/{session_id}', tag: 'auth' },
  getJwks: { method: 'GET', path: '/.well-known/jwks.json', tag: 'keys' },
  getLiveness: { method: 'GET', path: '/livez', tag: 'platform' },
  getReadiness: { method: 'GET', path: '/readyz', tag: 'platform' },
  getMetrics: { method: 'GET', path: '/metrics', tag: 'platform' },
} as const;

export type OperationId = keyof typeof operations;
