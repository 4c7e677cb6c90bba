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
export type Timestamp = Schemas['Timestamp'];
export type Book = Schemas['Book'];
export type BookList = Schemas['BookList'];
export type BookPage = Schemas['BookPage'];
export type Cursor = Schemas['Cursor'];
export type BookListOrPage = Schemas['BookListOrPage'];
export type UserId = Schemas['UserId'];
export type UserName = Schemas['UserName'];
export type EmailAddress = Schemas['EmailAddress'];
export type Role = Schemas['Role'];
export type Password = Schemas['Password'];
export type PresentedPassword = Schemas['PresentedPassword'];
export type User = Schemas['User'];
export type LoginFlow = Schemas['LoginFlow'];
export type RefreshToken = Schemas['RefreshToken'];
export type Seconds = Schemas['Seconds'];
export type RefreshRequest = Schemas['RefreshRequest'];
export type JwtLogin = Schemas['JwtLogin'];
export type OpaqueLogin = Schemas['OpaqueLogin'];
export type CookieLogin = Schemas['CookieLogin'];
export type LoginTokens = Schemas['LoginTokens'];
export type RefreshedTokens = Schemas['RefreshedTokens'];
export type Liveness = Schemas['Liveness'];
export type Readiness = Schemas['Readiness'];
export type Problem = Schemas['Problem'];
export type Fault = Schemas['Fault'];
export type ErrorCode = Schemas['ErrorCode'];

/** The headers of all replies. */
type HeaderName = 'etag' | 'link' | 'location' | 'set-cookie' | 'x-total-count';

/** These headers, and none of another reply. */
type Only<Headers> = Headers & { [Other in Exclude<HeaderName, keyof Headers>]?: never };

type NoHeaders = { [Other in HeaderName]?: never };

/** The request of `listBooks`. */
export interface ListBooksRequest {
  query: {
    /** The greatest number of entries. 20 when absent. */
    limit?: number;
    /** The number of entries to skip. 0 when absent. */
    offset?: number;
    /** The number of the page, counted from 1. */
    page?: number;
    /** The greatest number of entries of a page. 20 when absent. */
    per_page?: number;
    /** Empty for the first page, then the `cursor.next` of the page before. */
    after?: string;
  };
  headers: {
    /** Answers 304 if the present `ETag` is among these. */
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
    /** Answers 304 if the present `ETag` is among these. */
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
    /** Writes only if the present `ETag` is among these; otherwise 412. */
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
    /** Writes only if the present `ETag` is among these; otherwise 412. */
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
    /** Writes only if the present `ETag` is among these; otherwise 412. */
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
    /** Writes only if the present `ETag` is among these; otherwise 412. */
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

export type ChangePasswordRequestBody = Schemas['ChangePasswordRequest'];

/** The request of `changePassword`. */
export interface ChangePasswordRequest {
  path: {
    /** The id of a user. */
    user_id: UserId;
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
 * Needs `current_password`, unless an admin sets another's. All sessions of the user end.
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
 * Exchanges a password for an access token with a refresh token (`jwt`), or for a single opaque token (`opaque`); with `cookie`, as cookies.
 *
 * Permission: public.
 *
 * - 200: The tokens of a new session.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type Login = (request: LoginRequest, context: Context) => Promise<LoginReply>;

export type RefreshSessionRequestBody = RefreshRequest;

/** The request of `refreshSession`. */
export interface RefreshSessionRequest {
  cookies: {
    /** The refresh token of a login with `cookie`; over HTTPS `__Secure-books_refresh`. A token in the body takes precedence. */
    books_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; over HTTPS `__Host-books_session`, and required there. */
    books_session?: string;
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
 * Exchanges a refresh token for an access token and the next one, which come as it came. Used twice, it ends its session.
 *
 * Permission: public.
 *
 * - 200: The next tokens of the session.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type RefreshSession = (request: RefreshSessionRequest, context: Context) => Promise<RefreshSessionReply>;

export type LogoutRequestBody = RefreshRequest;

/** The request of `logout`. */
export interface LogoutRequest {
  cookies: {
    /** The refresh token of a login with `cookie`; over HTTPS `__Secure-books_refresh`. A token in the body takes precedence. */
    books_refresh?: RefreshToken;
    /** Binds the refresh cookie to its session; over HTTPS `__Host-books_session`, and required there. */
    books_session?: string;
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
 * Ends the session of the refresh token, in the body or its cookie, or of the opaque token. Also 204 when it was gone.
 *
 * Permission: public.
 *
 * - 204: The session has ended, and its cookies are cleared. No body.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 404 NOT_FOUND, 406 NOT_ACCEPTABLE, 408
 *   REQUEST_TIMEOUT, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422 VALIDATION_FAILED, 429 RATE_LIMITED, 500
 *   INTERNAL, 503 UNAVAILABLE, 507 INSUFFICIENT_STORAGE
 */
export type Logout = (request: LogoutRequest, context: Context) => Promise<LogoutReply>;

/** The request of `getCurrentUser`. */
export interface GetCurrentUserRequest {
  headers: {
    /** Answers 304 if the present `ETag` is among these. */
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
 * For a liveness probe. Answers under overload and without a database, too.
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
 * For a readiness probe, and a balancer. 503 while the service starts, stops or misses something that it needs.
 *
 * Permission: public.
 *
 * - 200: The readiness of the service.
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
 * For Prometheus. Given to who calls from the same machine, or who has the token that the operator has set.
 *
 * Permission: public.
 *
 * - 200: The metrics.
 * - fails with 400 BAD_REQUEST, 401 UNAUTHENTICATED, 403 FORBIDDEN, 500 INTERNAL
 */
export type GetMetrics = (request: GetMetricsRequest, context: Context) => Promise<GetMetricsReply>;

/** The request of `getOpenApiYaml`, which has no parameters and no body. */
export type GetOpenApiYamlRequest = Record<string, never>;

/** The replies of `getOpenApiYaml`. */
export type GetOpenApiYamlReply =
  | { status: 200; headers?: NoHeaders; body: string | Uint8Array }
  | { status: 400 | 403 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get this contract as YAML
 *
 * GET /openapi.yaml
 *
 * This document, as it was written.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetOpenApiYaml = (request: GetOpenApiYamlRequest, context: Context) => Promise<GetOpenApiYamlReply>;

/** The request of `getOpenApiJson`, which has no parameters and no body. */
export type GetOpenApiJsonRequest = Record<string, never>;

/** The replies of `getOpenApiJson`. */
export type GetOpenApiJsonReply =
  | { status: 200; headers?: NoHeaders; body: Record<string, unknown> | Uint8Array }
  | { status: 400 | 403 | 500 | 503; headers?: NoHeaders; body: Problem };

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
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetOpenApiJson = (request: GetOpenApiJsonRequest, context: Context) => Promise<GetOpenApiJsonReply>;

/** The request of `getGraphqlSchema`, which has no parameters and no body. */
export type GetGraphqlSchemaRequest = Record<string, never>;

/** The replies of `getGraphqlSchema`. */
export type GetGraphqlSchemaReply =
  | { status: 200; headers?: NoHeaders; body: string | Uint8Array }
  | { status: 400 | 403 | 500 | 503; headers?: NoHeaders; body: Problem };

/**
 * Get the GraphQL contract
 *
 * GET /schema.graphql
 *
 * The schema of `POST /graphql`.
 *
 * Permission: public.
 *
 * - 200: The contract.
 * - fails with 400 BAD_REQUEST, 403 FORBIDDEN, 500 INTERNAL, 503 UNAVAILABLE
 */
export type GetGraphqlSchema = (request: GetGraphqlSchemaRequest, context: Context) => Promise<GetGraphqlSchemaReply>;

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
  changePassword: ChangePassword;
}

/** src/application/rest/auth.ts: Logging in and out. */
export interface AuthHandlers {
  login: Login;
  refreshSession: RefreshSession;
  logout: Logout;
  getCurrentUser: GetCurrentUser;
}

/** src/application/rest/platform.ts: Health, metrics and the published contracts. */
export interface PlatformHandlers {
  getLiveness: GetLiveness;
  getReadiness: GetReadiness;
  getMetrics: GetMetrics;
  getOpenApiYaml: GetOpenApiYaml;
  getOpenApiJson: GetOpenApiJson;
  getGraphqlSchema: GetGraphqlSchema;
}

/** All handlers, by tag. */
export interface Handlers {
  books: BooksHandlers;
  users: UsersHandlers;
  auth: AuthHandlers;
  platform: PlatformHandlers;
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

/** Checks the handlers of `books`: one for each operation, and no reply that the contract does not declare. */
export const booksHandlers = <Actual extends BooksHandlers>(handlers: Actual & Closed<Actual, BooksHandlers>): BooksHandlers => handlers;

/** Checks the handlers of `users`: one for each operation, and no reply that the contract does not declare. */
export const usersHandlers = <Actual extends UsersHandlers>(handlers: Actual & Closed<Actual, UsersHandlers>): UsersHandlers => handlers;

/** Checks the handlers of `auth`: one for each operation, and no reply that the contract does not declare. */
export const authHandlers = <Actual extends AuthHandlers>(handlers: Actual & Closed<Actual, AuthHandlers>): AuthHandlers => handlers;

/** Checks the handlers of `platform`: one for each operation, and no reply that the contract does not declare. */
export const platformHandlers = <Actual extends PlatformHandlers>(handlers: Actual & Closed<Actual, PlatformHandlers>): PlatformHandlers => handlers;

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
  changePassword: { method: 'PUT', path: '/api/v1/users/{user_id}/password', tag: 'users' },
  login: { method: 'POST', path: '/api/v1/auth/login', tag: 'auth' },
  refreshSession: { method: 'POST', path: '/api/v1/auth/refresh', tag: 'auth' },
  logout: { method: 'POST', path: '/api/v1/auth/logout', tag: 'auth' },
  getCurrentUser: { method: 'GET', path: '/api/v1/auth/me', tag: 'auth' },
  getLiveness: { method: 'GET', path: '/livez', tag: 'platform' },
  getReadiness: { method: 'GET', path: '/readyz', tag: 'platform' },
  getMetrics: { method: 'GET', path: '/metrics', tag: 'platform' },
  getOpenApiYaml: { method: 'GET', path: '/openapi.yaml', tag: 'platform' },
  getOpenApiJson: { method: 'GET', path: '/openapi.json', tag: 'platform' },
  getGraphqlSchema: { method: 'GET', path: '/schema.graphql', tag: 'platform' },
} as const;

export type OperationId = keyof typeof operations;
