// Generated from openapi.yaml by `npm run codegen`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The id of a user. */
        UserId: number;
        /** @description The id of an order. */
        OrderId: number;
        /** @description The name of a user, 1 to 100 characters after trimming. It is one line: control characters, line separators and overrides of the writing direction (U+202A to U+202E, U+2066 to U+2069) are 422. */
        UserName: string;
        /**
         * Format: email
         * @description An e-mail address. Unique without regard to case; kept as it was spelled.
         */
        EmailAddress: string;
        /**
         * @description The role of a user; see the table of permissions.
         * @enum {string}
         */
        Role: "admin" | "developer" | "viewer";
        /**
         * Format: password
         * @description A new password, 12 to 128 characters. One of the commonest (`x-uncommon`) is refused.
         */
        Password: string;
        /**
         * @description The state of an order. `paid` and `cancelled` are final.
         * @enum {string}
         */
        OrderStatus: "pending" | "processing" | "paid" | "cancelled";
        /** @description The address of a related resource, or the request that changes this one. */
        Link: {
            /**
             * Format: uri-reference
             * @description A path.
             */
            href: string;
            /**
             * @description The method to use. GET when absent.
             * @enum {string}
             */
            method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
        };
        /** @description An amount of money. */
        Money: {
            /** @description In minor units of the currency; 1999 is 19.99 EUR. */
            amount: number;
            /**
             * Format: iso-4217
             * @description The alphabetic code of a currency in use, by list one of ISO 4217; that is what the format says. Any other code is 422.
             */
            currency: string;
        };
        /** @description A person with an account. */
        User: {
            id: components["schemas"]["UserId"];
            name: components["schemas"]["UserName"];
            email: components["schemas"]["EmailAddress"];
            role: components["schemas"]["Role"];
            createdAt: components["schemas"]["Timestamp"];
            _links: components["schemas"]["UserLinks"];
        };
        /** @description The resources that belong to a user. */
        UserLinks: {
            self: components["schemas"]["Link"];
            orders: components["schemas"]["Link"];
        };
        /** @description Users, in the offset and page styles. */
        UserList: components["schemas"]["User"][];
        /** @description Users, in the cursor style. */
        UserPage: {
            data: components["schemas"]["UserList"];
            cursor: components["schemas"]["Cursor"];
        };
        /** @description Users. A page where the request has `after`, else an array. */
        UserListOrPage: components["schemas"]["UserList"] | components["schemas"]["UserPage"];
        /** @description A new user. */
        CreateUserRequest: {
            name: components["schemas"]["UserName"];
            email: components["schemas"]["EmailAddress"];
            role: components["schemas"]["Role"];
            password?: components["schemas"]["Password"];
        };
        /** @description All members of a user that can change. */
        ReplaceUserRequest: {
            name: components["schemas"]["UserName"];
            email: components["schemas"]["EmailAddress"];
            role: components["schemas"]["Role"];
        };
        /** @description The members to change. */
        UpdateUserRequest: {
            name?: components["schemas"]["UserName"];
            email?: components["schemas"]["EmailAddress"];
            role?: components["schemas"]["Role"];
        };
        /** @description An order of a user. */
        Order: {
            id: components["schemas"]["OrderId"];
            status: components["schemas"]["OrderStatus"];
            total: components["schemas"]["Money"];
            createdAt: components["schemas"]["Timestamp"];
            _links: components["schemas"]["OrderLinks"];
        };
        /** @description The requests that an order takes. `cancel` and `pay` are present only while it is `pending`. */
        OrderLinks: {
            self: components["schemas"]["Link"];
            cancel?: components["schemas"]["Link"];
            pay?: components["schemas"]["Link"];
        };
        /** @description Orders, in the offset and page styles. */
        OrderList: components["schemas"]["Order"][];
        /** @description Orders, in the cursor style. */
        OrderPage: {
            data: components["schemas"]["OrderList"];
            cursor: components["schemas"]["Cursor"];
        };
        /** @description Orders. A page where the request has `after`, else an array. */
        OrderListOrPage: components["schemas"]["OrderList"] | components["schemas"]["OrderPage"];
        /** @description A new order. */
        CreateOrderRequest: {
            total: components["schemas"]["Money"];
        };
        /** @description The means of payment. */
        PayOrderRequest: {
            /** @description The token that the payment gateway has issued to the client for this payment. */
            payment_token?: string;
        };
        /** @description Links to the entry points. */
        EntryPoint: {
            _links: components["schemas"]["EntryPointLinks"];
        };
        /** @description The documentation, the contract, whether the service is ready (RFC 8631), and the first of what it serves. */
        EntryPointLinks: {
            self: components["schemas"]["Link"];
            "service-doc": components["schemas"]["Link"];
            "service-desc": components["schemas"]["Link"];
            status: components["schemas"]["Link"];
            users: components["schemas"]["Link"];
            graphql: components["schemas"]["Link"];
        };
        /**
         * @description The closed list of codes, which GraphQL uses too. See the table of failures.
         * @enum {string}
         */
        ErrorCode: "BAD_REQUEST" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "CONFLICT" | "GONE" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_FAILED" | "PAYMENT_DECLINED" | "RATE_LIMITED" | "INTERNAL" | "NOT_IMPLEMENTED" | "BAD_GATEWAY" | "UNAVAILABLE" | "GATEWAY_TIMEOUT" | "INSUFFICIENT_STORAGE";
        /** @description The end of a page. */
        Cursor: {
            /** @description The `after` of the next page. Empty when there is no more. */
            next: string;
            /** @description True if there is a next page. */
            hasMore: boolean;
        };
        /**
         * Format: date-time
         * @description ISO 8601 in UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description A failure (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description The address of a page that explains the code.
             */
            type: string;
            /** @description The code in words. The same for every problem with this code and status. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description A sentence for people about this failure. */
            detail: string;
            /**
             * Format: uri-reference
             * @description The path that was asked for, or its beginning where it is longer than this member.
             */
            instance: string;
            /** @description The same message as `detail`. */
            error: string;
            code: components["schemas"]["ErrorCode"];
            /** @description The id in `X-Request-Id`. */
            requestId?: string;
            /** @description The faults, 20 at most; `omitted` counts the others. */
            errors?: components["schemas"]["Fault"][];
            /** @description The number of faults that `errors` does not list. Absent when it lists them all. */
            omitted?: number;
        };
        /** @description The new password, and the present one where it is needed. */
        ChangePasswordRequest: {
            current_password?: components["schemas"]["PresentedPassword"];
            new_password: components["schemas"]["NewPassword"];
        };
        /** @description Credentials, and the kind of tokens that are wanted. */
        LoginRequest: {
            /** @description The e-mail address of the account. */
            email: string;
            password: components["schemas"]["PresentedPassword"];
            flow?: components["schemas"]["LoginFlow"];
            /** @description True for tokens in cookies. False when absent. */
            cookie?: boolean;
        };
        /** @description A refresh token. Left out when its cookie is sent. */
        RefreshRequest: {
            refresh_token?: components["schemas"]["RefreshToken"];
        };
        /** @description A contract, as JSON for tools. */
        Document: Record<string, never>;
        /** @description One fault, in the body or in a parameter. */
        Fault: {
            /**
             * Format: json-pointer
             * @description The place in the body (RFC 6901).
             */
            pointer?: string;
            /** @description The name of the parameter: of the path, the query or a header. */
            parameter?: string;
            /** @description A sentence for people about this fault. */
            detail: string;
        };
        /**
         * Format: password
         * @description A password to be checked.
         */
        PresentedPassword: string;
        /**
         * Format: password
         * @description A new password, 12 to 128 characters. One of the commonest (`x-uncommon`) is refused.
         */
        NewPassword: string;
        /**
         * @description `jwt` for an access token with a refresh token, `opaque` for a single opaque token. A login that does not say gets `jwt`.
         * @enum {string}
         */
        LoginFlow: "jwt" | "opaque";
        /** @description The answer to a login, by `flow` and `cookie`. */
        LoginTokens: components["schemas"]["JwtLogin"] | components["schemas"]["OpaqueLogin"] | components["schemas"]["CookieLogin"];
        /** @description An opaque token that is good for one refresh. */
        RefreshToken: string;
        /** @description The answer to a refresh. `CookieLogin` where the refresh token came as a cookie. */
        RefreshedTokens: components["schemas"]["JwtLogin"] | components["schemas"]["CookieLogin"];
        /** @description Sessions. A page where the request has `after`, else an array. */
        SessionListOrPage: components["schemas"]["SessionList"] | components["schemas"]["SessionPage"];
        /**
         * Format: uuid
         * @description The id of a session.
         */
        SessionId: string;
        /** @description Public keys (RFC 7517). */
        JsonWebKeySet: {
            /** @description The present key, the next one, and old ones until their last token has expired. */
            keys: components["schemas"]["JsonWebKey"][];
        };
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
             * @description `ok` and `degraded` with 200, `unavailable` with 503. A degraded service does all that it is asked for, some of
             *     it with less: without Redis each instance counts requests for itself. An overloaded service (`load`) refuses
             *     some requests with 503.
             * @enum {string}
             */
            status: "ok" | "degraded" | "unavailable";
            /**
             * @description The dependencies of the service by name, such as `database`. `databaseWritable` has failed if the database
             *     answers and accepts no writes: it is a standby, or `default_transaction_read_only` is on.
             */
            checks: {
                [key: string]: "ok" | "degraded" | "failed";
            };
        };
        /** @description The answer of the flow `jwt`. */
        JwtLogin: {
            access_token: components["schemas"]["AccessToken"];
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
            token: components["schemas"]["OpaqueToken"];
            expires_in: components["schemas"]["Seconds"];
        };
        /** @description The answer of either flow when the tokens come as cookies. */
        CookieLogin: {
            expires_in: components["schemas"]["Seconds"];
        };
        /** @description Sessions, in the offset and page styles. */
        SessionList: components["schemas"]["Session"][];
        /** @description Sessions, in the cursor style. */
        SessionPage: {
            data: components["schemas"]["SessionList"];
            cursor: components["schemas"]["Cursor"];
        };
        /** @description A public RSA key of 2048 bits or more. */
        JsonWebKey: {
            /**
             * @description The family of the key.
             * @enum {string}
             */
            kty: "RSA";
            /** @description The id of the key; its thumbprint (RFC 7638). */
            kid: string;
            /**
             * @description The use of the key.
             * @enum {string}
             */
            use: "sig";
            /**
             * @description The algorithm of the signatures.
             * @enum {string}
             */
            alg: "RS256";
            /** @description The modulus, in Base64url. */
            n: string;
            /** @description The exponent, in Base64url. */
            e: string;
        };
        /** @description A JWT for `Authorization` with the scheme `Bearer`. */
        AccessToken: string;
        /** @description For how many seconds the access token, or the opaque token, is good. */
        Seconds: number;
        /** @description An opaque token for `Authorization` with the scheme `Bearer`. */
        OpaqueToken: string;
        /** @description A login that still holds. */
        Session: {
            id: components["schemas"]["SessionId"];
            flow: components["schemas"]["LoginFlow"];
            /** @description True if this request belongs to the session. */
            current: boolean;
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
