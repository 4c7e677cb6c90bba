// Generated from openapi.yaml by `npm run codegen`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The id of a book. */
        BookId: number;
        /** @description The title of a book. */
        Title: string;
        /** @description The author of a book. */
        Author: string;
        /** @description When a book was published; `null` where nobody knows. */
        Year: number | null;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description A book that somebody has. */
        Book: {
            id: components["schemas"]["BookId"];
            ownerId: components["schemas"]["UserId"];
            title: components["schemas"]["Title"];
            author: components["schemas"]["Author"];
            year: components["schemas"]["Year"];
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description Books, in the offset and page styles. */
        BookList: components["schemas"]["Book"][];
        /** @description Books, in the cursor style. */
        BookPage: {
            data: components["schemas"]["BookList"];
            cursor: components["schemas"]["Cursor"];
        };
        /** @description The end of a page. */
        Cursor: {
            /** @description The next `after`; empty on the last page. */
            next: string;
            /** @description True if there is a next page. */
            hasMore: boolean;
        };
        /** @description Books. A page where the request has `after`, else an array. */
        BookListOrPage: components["schemas"]["BookList"] | components["schemas"]["BookPage"];
        /** @description A new book. */
        CreateBookRequest: {
            title: components["schemas"]["Title"];
            author: components["schemas"]["Author"];
            year?: components["schemas"]["Year"];
        };
        /** @description The members to change. */
        UpdateBookRequest: {
            title?: components["schemas"]["Title"];
            author?: components["schemas"]["Author"];
            year?: components["schemas"]["Year"];
        };
        /** @description The id of a user. */
        UserId: number;
        /** @description The name of a user. */
        UserName: string;
        /**
         * Format: email
         * @description Unique without regard to case.
         */
        EmailAddress: string;
        /**
         * @description The role of a user.
         * @enum {string}
         */
        Role: "admin" | "member";
        /**
         * Format: password
         * @description A new password; none of the commonest.
         */
        Password: string;
        /**
         * Format: password
         * @description A password to be checked.
         */
        PresentedPassword: string;
        /** @description A person with an account. */
        User: {
            id: components["schemas"]["UserId"];
            name: components["schemas"]["UserName"];
            email: components["schemas"]["EmailAddress"];
            role: components["schemas"]["Role"];
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description A new user. */
        CreateUserRequest: {
            name: components["schemas"]["UserName"];
            email: components["schemas"]["EmailAddress"];
            role: components["schemas"]["Role"];
            password?: components["schemas"]["Password"];
        };
        /** @description The members to change. */
        UpdateUserRequest: {
            name?: components["schemas"]["UserName"];
            email?: components["schemas"]["EmailAddress"];
            role?: components["schemas"]["Role"];
        };
        /** @description The new password, and the present one where it is needed. */
        ChangePasswordRequest: {
            current_password?: components["schemas"]["PresentedPassword"];
            new_password: components["schemas"]["Password"];
        };
        /**
         * @description `jwt` where a login does not say.
         * @enum {string}
         */
        LoginFlow: "jwt" | "opaque";
        /** @description Good for one refresh. */
        RefreshToken: string;
        /** @description For how many seconds the token is good. */
        Seconds: number;
        /** @description Credentials, and the kind of tokens that are wanted. */
        LoginRequest: {
            /** @description The e-mail address of the account. */
            email: string;
            password: components["schemas"]["PresentedPassword"];
            flow?: components["schemas"]["LoginFlow"];
            /** @description True for tokens in cookies. They do not when absent. */
            cookie?: boolean;
        };
        /** @description The refresh token of the session; left out where its cookie is sent, or a logout comes under an opaque token. */
        RefreshRequest: {
            refresh_token?: components["schemas"]["RefreshToken"];
        };
        /** @description The answer of the flow `jwt`. */
        JwtLogin: {
            /** @description For `Authorization` with the scheme `Bearer`. */
            access_token: string;
            refresh_token: components["schemas"]["RefreshToken"];
            /**
             * @description The scheme of `Authorization`.
             * @enum {string}
             */
            token_type: "Bearer";
            expires_in: components["schemas"]["Seconds"];
        };
        /** @description The answer of the flow `opaque`. */
        OpaqueLogin: {
            /** @description For `Authorization` with the scheme `Bearer`. */
            token: string;
            expires_in: components["schemas"]["Seconds"];
        };
        /** @description The answer where the tokens come as cookies. */
        CookieLogin: {
            expires_in: components["schemas"]["Seconds"];
        };
        /** @description The answer to a login, by `flow` and `cookie`. */
        LoginTokens: components["schemas"]["JwtLogin"] | components["schemas"]["OpaqueLogin"] | components["schemas"]["CookieLogin"];
        /** @description The answer to a refresh. `CookieLogin` where the refresh token came as a cookie. */
        RefreshedTokens: components["schemas"]["JwtLogin"] | components["schemas"]["CookieLogin"];
        /** @description Says that the process is alive. */
        Liveness: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description The readiness of the service, and of what it depends on. */
        Readiness: {
            /**
             * @description `unavailable` with 503.
             * @enum {string}
             */
            status: "ok" | "degraded" | "unavailable";
            /** @description The dependencies of the service by name, such as `database`. */
            checks: {
                [key: string]: "ok" | "degraded" | "failed";
            };
        };
        /** @description A failure (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description The address of a page that explains the code.
             */
            type: string;
            /** @description The code in words. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description A sentence for people about this failure. For people. */
            detail: string;
            /**
             * Format: uri-reference
             * @description The path that was asked for.
             */
            instance: string;
            /** @description The same message as `detail`. */
            error: string;
            code: components["schemas"]["ErrorCode"];
            /** @description The id in `X-Request-Id`. */
            requestId?: string;
            /** @description The faults, 20 at most. */
            errors?: components["schemas"]["Fault"][];
            /** @description The number of further faults. */
            omitted?: number;
        };
        /** @description One fault, in the body or in a parameter. */
        Fault: {
            /**
             * Format: json-pointer
             * @description The place in the body (RFC 6901).
             */
            pointer?: string;
            /** @description The name of the parameter. */
            parameter?: string;
            /** @description A sentence for people about this fault. For people. */
            detail: string;
        };
        /**
         * @description The closed list of codes, which GraphQL uses too.
         * @enum {string}
         */
        ErrorCode: "BAD_REQUEST" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "CONFLICT" | "GONE" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_FAILED" | "RATE_LIMITED" | "INTERNAL" | "NOT_IMPLEMENTED" | "UNAVAILABLE" | "INSUFFICIENT_STORAGE";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
