// Generated from openapi.yaml by `npm run codegen`. Do not edit.
import type { Decides, NotWritten, Route } from '@accord-api/platform';
import type { Context } from '../src/application/context.js';
import type { components } from './openapi.js';
import type { Decisions } from './policy.js';

type Schemas = components['schemas'];

/** The decision that the target of a route must make. */
type DecisionOf<Name> = Name extends keyof Decisions ? Decisions[Name] : Decides;

export type BookId = Schemas['BookId'];
export type Title = Schemas['Title'];
export type Author = Schemas['Author'];
export type Year = Schemas['Year'];
export type Book = Schemas['Book'];
export type BookList = Schemas['BookList'];
export type BookPage = Schemas['BookPage'];
export type BookListOrPage = Schemas['BookListOrPage'];
export type UserId = Schemas['UserId'];
export type UserName = Schemas['UserName'];
export type EmailAddress = Schemas['EmailAddress'];
export type Role = Schemas['Role'];
export type Password = Schemas['Password'];
export type User = Schemas['User'];
export type Cursor = Schemas['Cursor'];
export type Timestamp = Schemas['Timestamp'];
export type ErrorCode = Schemas['ErrorCode'];
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
type HeaderName = 'cache-control' | 'content-location' | 'etag' | 'link' | 'location' | 'set-cookie' | 'x-total-count';

/** These headers, and none of another reply. */
type Only<Headers> = Headers & { [Other in Exclude<HeaderName, keyof Headers>]?: never };

type NoHeaders = { [Other in HeaderName]?: never };

/** The request of `listBooks`. */
export interface ListBooksRequest {
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

/** The replies of `listBooks`. */
export type ListBooksReply =
  | { status: 200; headers?: Only<{ link?: string; 'x-total-count'?: number }>; body: BookListOrPage }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 413 | 422 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * List books
 *
 * GET /api/v1/books
 *
 * All books, by id, in one of the three styles.
 *
 * Permission books.read: member any, admin any.
 *
 * - 200: Books. An array, or with `after` a page with a cursor.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 413
 *   PAYLOAD_TOO_LARGE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type ListBooks = Route<ListBooksRequest, ListBooksReply, DecisionOf<'listBooks'>> | NotWritten;

export type CreateBookRequestBody = Schemas['CreateBookRequest'];

/** The request of `createBook`. */
export interface CreateBookRequest {
  body: CreateBookRequestBody;
}

/** The replies of `createBook`. */
export type CreateBookReply =
  | { status: 201; headers: Only<{ etag: string; location: string }>; body: Book }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Add a book
 *
 * POST /api/v1/books
 *
 * Adds a book of the caller's. Subscribers of `bookAdded` over GraphQL receive it.
 *
 * Permission books.create: member own, admin own.
 *
 * - 201: The book was added.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type CreateBook = Route<CreateBookRequest, CreateBookReply, DecisionOf<'createBook'>> | NotWritten;

/** The request of `getBook`. */
export interface GetBookRequest {
  path: {
    /** The id of a book. */
    book_id: BookId;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. Compared weakly. */
    'if-none-match'?: string;
  };
}

/** The replies of `getBook`. */
export type GetBookReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Book }
  | { status: 304; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 410 | 429 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get a book
 *
 * GET /api/v1/books/{book_id}
 *
 * One book. 410 when it was deleted, 404 when there never was one with this id.
 *
 * Permission books.read: member any, admin any.
 *
 * - 200: The book.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetBook = Route<GetBookRequest, GetBookReply, DecisionOf<'getBook'>> | NotWritten;

export type UpdateBookRequestBody = Schemas['UpdateBookRequest'];

/** The request of `updateBook`. */
export interface UpdateBookRequest {
  path: {
    /** The id of a book. */
    book_id: BookId;
  };
  headers: {
    /** Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly. */
    'if-match'?: string;
  };
  body: UpdateBookRequestBody;
}

/** The replies of `updateBook`. */
export type UpdateBookReply =
  | { status: 200; headers: Only<{ etag: string }>; body: Book }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Change a book
 *
 * PATCH /api/v1/books/{book_id}
 *
 * Changes the members that are given and leaves the others.
 *
 * Permission books.update: member own, admin any.
 *
 * - 200: The book.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 410 GONE, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422
 *   VALIDATION_FAILED, 429 RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type UpdateBook = Route<UpdateBookRequest, UpdateBookReply, DecisionOf<'updateBook'>> | NotWritten;

/** The request of `deleteBook`. */
export interface DeleteBookRequest {
  path: {
    /** The id of a book. */
    book_id: BookId;
  };
  headers: {
    /** Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly. */
    'if-match'?: string;
  };
}

/** The replies of `deleteBook`. */
export type DeleteBookReply =
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 412 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Delete a book
 *
 * DELETE /api/v1/books/{book_id}
 *
 * Deletes a book. Deleting it again is 404; every other method on the id is 410 from now on.
 *
 * Permission books.delete: member own, admin any.
 *
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type DeleteBook = Route<DeleteBookRequest, DeleteBookReply, DecisionOf<'deleteBook'>> | NotWritten;

export type CreateUserRequestBody = Schemas['CreateUserRequest'];

/** The request of `createUser`. */
export interface CreateUserRequest {
  body: CreateUserRequestBody;
}

/** The replies of `createUser`. */
export type CreateUserReply =
  | { status: 201; headers: Only<{ etag: string }>; body: User }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Create a user
 *
 * POST /api/v1/users
 *
 * Creates an account. Without `password` it cannot log in until one is set. 409 for an e-mail address that is in use.
 *
 * Permission users.create: member none, admin any.
 *
 * - 201: The user was created.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type CreateUser = Route<CreateUserRequest, CreateUserReply, DecisionOf<'createUser'>> | NotWritten;

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
  };
  body: UpdateUserRequestBody;
}

/** The replies of `updateUser`. */
export type UpdateUserReply =
  | { status: 200; headers: Only<{ etag: string }>; body: User }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Change a user
 *
 * PATCH /api/v1/users/{user_id}
 *
 * Changes the members that are given and leaves the others. Another role is for admins to give; the last admin stays one (409).
 *
 * Permission users.update: member own, admin any.
 * Permission users.set-role: member none, admin any; when role differs from the stored one.
 *
 * - 200: The user.
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
  };
}

/** The replies of `deleteUser`. */
export type DeleteUserReply =
  | { status: 204; headers?: NoHeaders }
  | { status: 400 | 401 | 403 | 404 | 406 | 408 | 409 | 412 | 413 | 415 | 429 | 500 | 503 | 507; headers?: NoHeaders; body: Problem };

/**
 * Delete a user
 *
 * DELETE /api/v1/users/{user_id}
 *
 * Deletes an account with its books and its sessions. The last admin cannot be deleted (409).
 *
 * Permission users.delete: member own, admin any.
 *
 * - 204: Done. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 409 CONFLICT, 412 PRECONDITION_FAILED, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type DeleteUser = Route<DeleteUserRequest, DeleteUserReply, DecisionOf<'deleteUser'>> | NotWritten;

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
 * The user whose credentials the request carries.
 *
 * Permission users.read: member own, admin any.
 *
 * - 200: The user.
 * - 304: Unchanged since the state that `If-None-Match` names. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 410 GONE, 429
 *   RATE_LIMITED, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetCurrentUser = Route<GetCurrentUserRequest, GetCurrentUserReply, DecisionOf<'getCurrentUser'>> | NotWritten;

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
 * Permission users.set-password: member own, admin any.
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
    /** The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-my_api_refresh`, and no other counts. The body wins over it. */
    my_api_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; set with it over HTTPS, as `__Host-my_api_session`. A refresh cookie that comes over HTTPS without it, or with that of another session, is 401. */
    my_api_session?: string;
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
    /** The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-my_api_refresh`, and no other counts. The body wins over it. */
    my_api_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; set with it over HTTPS, as `__Host-my_api_session`. A refresh cookie that comes over HTTPS without it, or with that of another session, is 401. */
    my_api_session?: string;
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
 * Permission sessions.read: member own, admin own.
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
 * Permission sessions.revoke: member own, admin own.
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
 * Permission sessions.revoke: member own, admin own.
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

/** src/application/rest/books.ts: The books that people have collected. */
export interface BooksHandlers {
  listBooks: ListBooks;
  createBook: CreateBook;
  getBook: GetBook;
  updateBook: UpdateBook;
  deleteBook: DeleteBook;
}

/** src/application/rest/users.ts: People with an account. */
export interface UsersHandlers {
  createUser: CreateUser;
  updateUser: UpdateUser;
  deleteUser: DeleteUser;
  changePassword?: ChangePassword;
}

/** src/application/rest/platform.ts: Health, metrics and the published contracts. Unversioned, and not counted by the rate limit. */
export interface PlatformHandlers {
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
  books: BooksHandlers;
  users: UsersHandlers;
  platform?: PlatformHandlers;
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

/** Checks the handlers of `books`: one for each required operation, and no reply that the contract does not declare. */
export const booksHandlers = <Actual extends BooksHandlers>(handlers: Actual & Closed<Actual, BooksHandlers>): BooksHandlers => handlers;

/** Checks the handlers of `users`: one for each required operation, and no reply that the contract does not declare. */
export const usersHandlers = <Actual extends UsersHandlers>(handlers: Actual & Closed<Actual, UsersHandlers>): UsersHandlers => handlers;

/** Checks the handlers of `platform`: one for each required operation, and no reply that the contract does not declare. */
export const platformHandlers = <Actual extends PlatformHandlers>(handlers: Actual & Closed<Actual, PlatformHandlers>): PlatformHandlers => handlers;

/** Checks the handlers of `auth`: one for each required operation, and no reply that the contract does not declare. */
export const authHandlers = <Actual extends AuthHandlers>(handlers: Actual & Closed<Actual, AuthHandlers>): AuthHandlers => handlers;

/** Checks the handlers of `keys`: one for each required operation, and no reply that the contract does not declare. */
export const keysHandlers = <Actual extends KeysHandlers>(handlers: Actual & Closed<Actual, KeysHandlers>): KeysHandlers => handlers;

/** The method, path and tag of each operation. */
export const operations = {
  listBooks: { method: 'GET', path: '/api/v1/books', tag: 'books' },
  createBook: { method: 'POST', path: '/api/v1/books', tag: 'books' },
  getBook: { method: 'GET', path: '/api/v1/books/{book_id}', tag: 'books' },
  updateBook: { method: 'PATCH', path: '/api/v1/books/{book_id}', tag: 'books' },
  deleteBook: { method: 'DELETE', path: '/api/v1/books/{book_id}', tag: 'books' },
  createUser: { method: 'POST', path: '/api/v1/users', tag: 'users' },
  updateUser: { method: 'PATCH', path: '/api/v1/users/{user_id}', tag: 'users' },
  deleteUser: { method: 'DELETE', path: '/api/v1/users/{user_id}', tag: 'users' },
  getCurrentUser: { method: 'GET', path: '/api/v1/auth/me', tag: 'auth' },
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
