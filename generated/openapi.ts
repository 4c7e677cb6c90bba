// Generated from openapi.yaml by `npm run codegen`. Do not edit.

export interface paths {
    "/api/v1/users": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description All users, by id, in one of the three pagination styles.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Creates a user and answers with it. Without `password` the account cannot log in until one is set.
         *     An e-mail address that is in use, in whatever case, is 409.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        /**
         * Get a user
         * @description One user. 410 when the user was deleted, 404 when there never was one with this id.
         */
        get: operations["getUser"];
        /**
         * Replace a user
         * @description Replaces name, e-mail address and role, all of which are required. Naming the role that the user has is no
         *     change; naming another is for admins. The last admin cannot be demoted (409).
         */
        put: operations["replaceUser"];
        post?: never;
        /**
         * Delete a user
         * @description Deletes the user, with the user's posts, comments, messages, orders and tokens, all or nothing. Answers 204, or
         *     200 with the deleted user under `Prefer: return=representation`. Deleting again is 404; every other method on
         *     the id is 410 from now on. The last admin, and a user with an order in `processing`, cannot be deleted (409).
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Changes the members that are given and leaves the others. As a merge patch (RFC 7396) or as plain JSON, with
         *     the same meaning; as no member can be removed, `null` is a wrong type (400). An empty object changes nothing.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/v1/users/{user_id}/password": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Change a password
         * @description Sets the password of a user. For one's own account `current_password` is needed, and a wrong or missing one is
         *     422 with its pointer; an admin who sets the password of somebody else leaves it out. All sessions of the user
         *     end, and access tokens issued before are refused within a second.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/orders": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        /**
         * List orders of a user
         * @description All orders of a user, by id, in one of the three pagination styles.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Create an order
         * @description Creates an order of the given total for a user. It starts as `pending`.
         */
        post: operations["createOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/orders/{order_id}": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        /**
         * Get an order of a user
         * @description One order, by its user. 404 when the order belongs to another user.
         */
        get: operations["getUserOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{order_id}": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        /**
         * Get an order
         * @description One order, by its id alone. Also the address to poll after an asynchronous payment.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{order_id}/cancel": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order
         * @description Cancels a `pending` order; any other is 409. Takes no body.
         */
        post: operations["cancelOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orders/{order_id}/payment": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay an order
         * @description Pays a `pending` order; any other is 409. A declined payment is 422 with the code `PAYMENT_DECLINED`, and the
         *     order stays `pending`. With `Prefer: respond-async` the answer is 202 with the order in `processing`: ask for
         *     the order at `Location` until it is `paid`, or `pending` again because the payment did not succeed.
         *
         *     While the payment gateway is asked the order is `processing`, and nobody else can pay or cancel it. A gateway
         *     that fails is 502, one that takes too long 504. When it has certainly taken nothing, the order is `pending`
         *     again; when it may have taken the payment, the order stays `processing`, and the service asks on until it is
         *     `paid` or `pending`. The request's `Idempotency-Key` is in flight (409) until then, and afterwards repeats the
         *     answer of a payment that succeeded. No payment is ever taken twice.
         *
         *     Outside production an embedded gateway settles payments. Its test tokens:
         *
         *     | `payment_token` | outcome |
         *     |---|---|
         *     | `tok_ok`, or none | settles |
         *     | `tok_decline` | is declined (422) |
         *     | `tok_delay` | settles late; best with `Prefer: respond-async` |
         *     | `tok_fail` | the gateway fails (502) |
         *     | any other | is declined (422) |
         *
         *     In production without a gateway the answer is 501, and nothing is settled.
         */
        post: operations["payOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Exchanges an e-mail address and a password for tokens, and starts a session. `flow` chooses between an access
         *     token with a refresh token (`jwt`) and a single opaque token (`opaque`). With `cookie` the tokens come as
         *     cookies and the body holds only their lifetime. An unknown address and a wrong password are told apart neither
         *     by the answer nor by its time. Repeated failures are answered with 429 and growing waits (see the rate limits);
         *     when many log in at once, those who ask for most are answered with 503.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: {
                /**
                 * @description The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it.
                 * @example acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o
                 */
                accord_refresh?: components["parameters"]["RefreshCookie"];
            };
        };
        get?: never;
        put?: never;
        /**
         * Renew an access token
         * @description Exchanges a refresh token, from the body or from its cookie, for a new access token and the next refresh token.
         *     The answer comes the way the token came: in the body, or as cookies. The body wins over the cookie.
         *     Without a token it is 400; an unknown, expired, used or revoked one is 401. When a token is used a second time, or
         *     after another successor of the same token, the whole session ends (see Authentication).
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: {
                /**
                 * @description The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it.
                 * @example acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o
                 */
                accord_refresh?: components["parameters"]["RefreshCookie"];
            };
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Ends one session: that of the refresh token in the body or in its cookie, or that of the opaque token under
         *     which the request comes; the first of these that is there. Also 204 when the session was gone already. Clears
         *     both cookies. Without any of these tokens it is 400, and 401 where an `Authorization` header holds something
         *     else. An access token of the `jwt` flow lives out its 15 minutes.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user
         * @description The user whose credentials the request carries. When that user was deleted it is 401, or 410 in the second that
         *     the deletion takes to reach every instance.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own sessions
         * @description The live sessions of the caller, oldest first, in one of the three pagination styles.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Revoke all other sessions
         * @description Ends all sessions of the caller but the one that the request belongs to. Under Basic it ends them all.
         */
        delete: operations["revokeOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions/{session_id}": {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a session.
                 * @example 01993b5c-7d2e-7c4a-9f10-3b8a6c2d4e5f
                 */
                session_id: components["parameters"]["SessionIdInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a session
         * @description Ends one session of the caller. 404 when the caller has no live session with this id.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys
         * @description The keys that verify access tokens, as a JSON Web Key Set (RFC 7517): the present one, the next one before it
         *     signs, and old ones until their last token has expired. Empty when the service signs with a shared secret
         *     (HS256). Unversioned; the answer is `application/json` whatever `Accept` says.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Go to the documentation
         * @description Redirects to the documentation at `/docs`.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the process alive?
         * @description For a liveness probe. Answers as long as the process runs, also under overload and without a database.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the service ready?
         * @description For a readiness probe. 503 while the service starts, stops, is overloaded or misses something that it needs;
         *     the body is the same report either way.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics
         * @description Counters and timings in the text format of Prometheus. With a metrics token configured it is needed as a
         *     bearer. Without one they are given to who calls from the same machine directly, and anyone else gets 401; with a
         *     trusted proxy configured so does everyone. Answers also under overload.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this contract as YAML
         * @description This document, as it was written.
         */
        get: operations["getOpenApiYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this contract as JSON
         * @description This document, as JSON for tools.
         */
        get: operations["getOpenApiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schema.graphql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the GraphQL contract
         * @description The schema of `POST /graphql`, in the GraphQL schema definition language.
         */
        get: operations["getGraphqlSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The id of a user. */
        UserId: number;
        /** @description The id of an order. */
        OrderId: number;
        /**
         * Format: uuid
         * @description The id of a session.
         */
        SessionId: string;
        /** @description The name of a user, 1 to 100 characters after trimming. It is one line: control characters, line separators and overrides of the writing direction (U+202A to U+202E, U+2066 to U+2069) are 422. */
        UserName: string;
        /**
         * Format: email
         * @description An e-mail address. Unique without regard to case; kept as it was spelled.
         */
        EmailAddress: string;
        /**
         * @description What a user may do; see the table of permissions.
         * @enum {string}
         */
        Role: "admin" | "developer" | "viewer";
        /**
         * Format: password
         * @description A new password, 12 to 128 characters. One of the commonest (`x-uncommon`) is refused.
         */
        Password: string;
        /**
         * Format: password
         * @description A password to be checked.
         */
        PresentedPassword: string;
        /** @description A JWT for `Authorization` with the scheme `Bearer`. */
        AccessToken: string;
        /** @description An opaque token for `Authorization` with the scheme `Bearer`. */
        OpaqueToken: string;
        /** @description An opaque token that is good for one refresh. */
        RefreshToken: string;
        /** @description For how many seconds the access token, or the opaque token, is good. */
        Seconds: number;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC, with milliseconds.
         */
        Timestamp: string;
        /**
         * @description The state of an order. `paid` and `cancelled` are final.
         * @enum {string}
         */
        OrderStatus: "pending" | "processing" | "paid" | "cancelled";
        /** @description Where a related resource is, or by which request to change this one. */
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
        /** @description Where a page ends. */
        Cursor: {
            /** @description The `after` of the next page. Empty when there is no more. */
            next: string;
            /** @description Whether there is a next page. */
            hasMore: boolean;
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
        /** @description Where to go from a user. */
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
        /** @description All that a user can change. */
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
        /** @description The new password, and the present one where it is needed. */
        ChangePasswordRequest: {
            current_password?: components["schemas"]["PresentedPassword"];
            new_password: components["schemas"]["Password"];
        };
        /** @description An order of a user. */
        Order: {
            id: components["schemas"]["OrderId"];
            status: components["schemas"]["OrderStatus"];
            total: components["schemas"]["Money"];
            createdAt: components["schemas"]["Timestamp"];
            _links: components["schemas"]["OrderLinks"];
        };
        /** @description Where to go from an order. `cancel` and `pay` are present only while it is `pending`. */
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
        /** @description How to pay. */
        PayOrderRequest: {
            /** @description What the payment gateway has given the client for this payment. */
            payment_token?: string;
        };
        /** @description Credentials, and the kind of tokens that are wanted. */
        LoginRequest: {
            /** @description The e-mail address of the account. */
            email: string;
            password: components["schemas"]["PresentedPassword"];
            flow?: components["schemas"]["LoginFlow"];
            /** @description Whether the tokens come as cookies. They do not when absent. */
            cookie?: boolean;
        };
        /**
         * @description `jwt` for an access token with a refresh token, `opaque` for a single opaque token. A login that does not say gets `jwt`.
         * @enum {string}
         */
        LoginFlow: "jwt" | "opaque";
        /** @description A refresh token. Left out when its cookie is sent. */
        RefreshRequest: {
            refresh_token?: components["schemas"]["RefreshToken"];
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
        /** @description The answer to a login, by `flow` and `cookie`. */
        LoginTokens: components["schemas"]["JwtLogin"] | components["schemas"]["OpaqueLogin"] | components["schemas"]["CookieLogin"];
        /** @description The answer to a refresh. `CookieLogin` where the refresh token came as a cookie. */
        RefreshedTokens: components["schemas"]["JwtLogin"] | components["schemas"]["CookieLogin"];
        /** @description A login that still holds. */
        Session: {
            id: components["schemas"]["SessionId"];
            flow: components["schemas"]["LoginFlow"];
            /** @description Whether this request belongs to it. */
            current: boolean;
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
        };
        /** @description Sessions, in the offset and page styles. */
        SessionList: components["schemas"]["Session"][];
        /** @description Sessions, in the cursor style. */
        SessionPage: {
            data: components["schemas"]["SessionList"];
            cursor: components["schemas"]["Cursor"];
        };
        /** @description Sessions. A page where the request has `after`, else an array. */
        SessionListOrPage: components["schemas"]["SessionList"] | components["schemas"]["SessionPage"];
        /** @description Public keys (RFC 7517). */
        JsonWebKeySet: {
            /** @description The present key, the next one, and old ones until their last token has expired. */
            keys: components["schemas"]["JsonWebKey"][];
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
             * @description What the key is for.
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
        /** @description Says that the process is alive. */
        Liveness: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /** @description Whether the service is ready, and what it depends on. */
        Readiness: {
            /**
             * @description `ok` and `degraded` with 200, `unavailable` with 503. A degraded service does all that it is asked for, some of
             *     it with less: without Redis each instance counts requests for itself.
             * @enum {string}
             */
            status: "ok" | "degraded" | "unavailable";
            /** @description What the service needs, by name, such as `database`. */
            checks: {
                [key: string]: "ok" | "degraded" | "failed";
            };
        };
        /** @description What went wrong (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description Where the code is explained.
             */
            type: string;
            /** @description The code in words. The same for every problem with this code and status. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description What is wrong this time. For people. */
            detail: string;
            /**
             * Format: uri-reference
             * @description The path that was asked for, or its beginning where it is longer than this member.
             */
            instance: string;
            /** @description The same message as `detail`. */
            error: string;
            code: components["schemas"]["ErrorCode"];
            /** @description Where the faults are, one entry for each, as far as there is room; `omitted` counts the others. */
            errors?: components["schemas"]["Fault"][];
            /** @description How many faults more were found than `errors` lists. Absent when it lists them all. */
            omitted?: number;
        };
        /** @description One fault, in the body or in a parameter. */
        Fault: {
            /**
             * Format: json-pointer
             * @description Where in the body (RFC 6901).
             */
            pointer?: string;
            /** @description The name of the parameter: of the path, the query or a header. */
            parameter?: string;
            /** @description What is wrong there. For people. */
            detail: string;
        };
        /**
         * @description The closed list of codes, which GraphQL uses too. See the table of failures.
         * @enum {string}
         */
        ErrorCode: "BAD_REQUEST" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "CONFLICT" | "GONE" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_FAILED" | "PAYMENT_DECLINED" | "RATE_LIMITED" | "INTERNAL" | "NOT_IMPLEMENTED" | "BAD_GATEWAY" | "UNAVAILABLE" | "GATEWAY_TIMEOUT" | "INSUFFICIENT_STORAGE";
    };
    responses: {
        /** @description Users. An array, or with `after` a page with a cursor. */
        UsersListed: {
            headers: {
                Link: components["headers"]["Link"];
                "X-Total-Count": components["headers"]["X-Total-Count"];
                ETag: components["headers"]["EntityTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UserListOrPage"];
                "application/vnd.accord+json": components["schemas"]["UserListOrPage"];
            };
        };
        /** @description The user was created. */
        UserCreated: {
            headers: {
                Location: components["headers"]["Location"];
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
                "application/vnd.accord+json": components["schemas"]["User"];
            };
        };
        /** @description The user. */
        UserFound: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
                "application/vnd.accord+json": components["schemas"]["User"];
            };
        };
        /** @description The user, as it is now. */
        UserUpdated: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
                "application/vnd.accord+json": components["schemas"]["User"];
            };
        };
        /** @description Done, under `Prefer` with `return=minimal`. No body; the tag is that of the new state. */
        UserUpdatedMinimal: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The user was deleted, under `Prefer` with `return=representation`. The body is the user as it was. */
        UserDeleted: {
            headers: {
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
                "application/vnd.accord+json": components["schemas"]["User"];
            };
        };
        /** @description Orders. An array, or with `after` a page with a cursor. */
        OrdersListed: {
            headers: {
                Link: components["headers"]["Link"];
                "X-Total-Count": components["headers"]["X-Total-Count"];
                ETag: components["headers"]["EntityTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OrderListOrPage"];
                "application/vnd.accord+json": components["schemas"]["OrderListOrPage"];
            };
        };
        /** @description The order was created. */
        OrderCreated: {
            headers: {
                Location: components["headers"]["Location"];
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
                "application/vnd.accord+json": components["schemas"]["Order"];
            };
        };
        /** @description The order. */
        OrderFound: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
                "application/vnd.accord+json": components["schemas"]["Order"];
            };
        };
        /** @description The order is cancelled. */
        OrderCancelled: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
                "application/vnd.accord+json": components["schemas"]["Order"];
            };
        };
        /** @description The order is paid. */
        OrderPaid: {
            headers: {
                ETag: components["headers"]["ResourceTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
                "application/vnd.accord+json": components["schemas"]["Order"];
            };
        };
        /** @description The payment is being processed. Ask for the order at `Location` to see how it ends. */
        PaymentAccepted: {
            headers: {
                Location: components["headers"]["Location"];
                ETag: components["headers"]["ResourceTag"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
                "application/vnd.accord+json": components["schemas"]["Order"];
            };
        };
        /** @description The tokens of a new session, by flow; or their lifetime alone, when they come as cookies. */
        LoggedIn: {
            headers: {
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LoginTokens"];
                "application/vnd.accord+json": components["schemas"]["LoginTokens"];
            };
        };
        /** @description The next tokens of the session; or their lifetime alone, when they come as cookies. */
        SessionRefreshed: {
            headers: {
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RefreshedTokens"];
                "application/vnd.accord+json": components["schemas"]["RefreshedTokens"];
            };
        };
        /** @description The session has ended. Both cookies are cleared. */
        LoggedOut: {
            headers: {
                "Set-Cookie": components["headers"]["Set-Cookie"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Sessions. An array, or with `after` a page with a cursor. */
        SessionsListed: {
            headers: {
                Link: components["headers"]["Link"];
                "X-Total-Count": components["headers"]["X-Total-Count"];
                ETag: components["headers"]["EntityTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SessionListOrPage"];
                "application/vnd.accord+json": components["schemas"]["SessionListOrPage"];
            };
        };
        /** @description The key set. */
        KeysFound: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["JsonWebKeySet"];
            };
        };
        /** @description Done. No body. */
        NoContent: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Unchanged since the state that `If-None-Match` names. No body. */
        NotModified: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The methods that the path takes, in answer to `OPTIONS`. No body. */
        MethodsListed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The path without its trailing slash, with the same method. */
        PermanentRedirect: {
            headers: {
                Location: components["headers"]["Location"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description To `/docs`. */
        DocumentationFound: {
            headers: {
                Location: components["headers"]["Location"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The process is alive. */
        Alive: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Liveness"];
            };
        };
        /** @description Ready for requests. */
        Ready: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Readiness"];
            };
        };
        /** @description Not ready: send requests elsewhere for now. */
        NotReady: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Readiness"];
            };
        };
        /** @description The metrics. */
        Metrics: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "text/plain": string;
            };
        };
        /** @description The contract. */
        OpenApiYaml: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/yaml": string;
            };
        };
        /** @description The part of the document that `Range` asks for. */
        OpenApiYamlPart: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "Content-Range": components["headers"]["Content-Range"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/yaml": string;
            };
        };
        /** @description The contract. */
        OpenApiJson: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": Record<string, never>;
            };
        };
        /** @description The part of the document that `Range` asks for. A piece of JSON, not a JSON value. */
        OpenApiJsonPart: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "Content-Range": components["headers"]["Content-Range"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": string;
            };
        };
        /** @description The contract. */
        GraphqlSchema: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/graphql": string;
            };
        };
        /** @description The part of the document that `Range` asks for. */
        GraphqlSchemaPart: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "Content-Range": components["headers"]["Content-Range"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/graphql": string;
            };
        };
        /** @description Unchanged since the state that `If-None-Match` names. No body. */
        DocumentNotModified: {
            headers: {
                ETag: components["headers"]["EntityTag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `BAD_REQUEST`. The request cannot be read. */
        BadRequest: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `UNAUTHENTICATED`. No credentials, or invalid or expired ones. For the login: the e-mail address and the password do not match. */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#UNAUTHENTICATED",
                 *       "title": "Unauthenticated",
                 *       "status": 401,
                 *       "detail": "The request carries no valid credentials.",
                 *       "instance": "/api/v1/users",
                 *       "error": "The request carries no valid credentials.",
                 *       "code": "UNAUTHENTICATED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `FORBIDDEN`. The caller may not do this; or the credentials came over plain HTTP, or a cookie from a foreign origin; or a browser calls a demo under a foreign name. */
        Forbidden: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `NOT_FOUND`. The resource or the path does not exist; or the subdomain names a version that does not. */
        NotFound: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `METHOD_NOT_ALLOWED`. The path exists and lacks this method. */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#METHOD_NOT_ALLOWED",
                 *       "title": "Method not allowed",
                 *       "status": 405,
                 *       "detail": "This path does not have the method POST.",
                 *       "instance": "/api/v1/users/42",
                 *       "error": "This path does not have the method POST.",
                 *       "code": "METHOD_NOT_ALLOWED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `NOT_ACCEPTABLE`. No media type, or no version, that `Accept` asks for is available. */
        NotAcceptable: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#NOT_ACCEPTABLE",
                 *       "title": "Not acceptable",
                 *       "status": 406,
                 *       "detail": "There is no version 2 of this interface.",
                 *       "instance": "/api/v1/users",
                 *       "error": "There is no version 2 of this interface.",
                 *       "code": "NOT_ACCEPTABLE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `REQUEST_TIMEOUT`. The request did not arrive completely in time. The connection is closed, and no other header is promised. */
        RequestTimeout: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#REQUEST_TIMEOUT",
                 *       "title": "Request timeout",
                 *       "status": 408,
                 *       "detail": "The request did not arrive within 15 seconds.",
                 *       "instance": "/api/v1/users",
                 *       "error": "The request did not arrive within 15 seconds.",
                 *       "code": "REQUEST_TIMEOUT"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `CONFLICT`. The present state forbids it. */
        Conflict: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `GONE`. The resource existed and was deleted. */
        Gone: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#GONE",
                 *       "title": "Gone",
                 *       "status": 410,
                 *       "detail": "User 41 was deleted.",
                 *       "instance": "/api/v1/users/41",
                 *       "error": "User 41 was deleted.",
                 *       "code": "GONE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `PRECONDITION_FAILED`. The resource has changed since the state that `If-Match` names. */
        PreconditionFailed: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#PRECONDITION_FAILED",
                 *       "title": "Precondition failed",
                 *       "status": 412,
                 *       "detail": "The user has changed meanwhile; get it again.",
                 *       "instance": "/api/v1/users/42",
                 *       "error": "The user has changed meanwhile; get it again.",
                 *       "code": "PRECONDITION_FAILED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`. The body is larger than the limit. */
        PayloadTooLarge: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#PAYLOAD_TOO_LARGE",
                 *       "title": "Payload too large",
                 *       "status": 413,
                 *       "detail": "The body is larger than 65536 bytes.",
                 *       "instance": "/api/v1/users",
                 *       "error": "The body is larger than 65536 bytes.",
                 *       "code": "PAYLOAD_TOO_LARGE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`. The `Content-Type` is missing, or not one that the operation reads. */
        UnsupportedMediaType: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#UNSUPPORTED_MEDIA_TYPE",
                 *       "title": "Unsupported media type",
                 *       "status": 415,
                 *       "detail": "This operation reads application/json.",
                 *       "instance": "/api/v1/users",
                 *       "error": "This operation reads application/json.",
                 *       "code": "UNSUPPORTED_MEDIA_TYPE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `VALIDATION_FAILED`. The content breaks a rule; `errors` says where. */
        ValidationFailed: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `PAYMENT_DECLINED`, and the order stays `pending`; or `VALIDATION_FAILED`, as everywhere. */
        PaymentRefused: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `RATE_LIMITED`. Too many requests, or too many failed logins. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#RATE_LIMITED",
                 *       "title": "Too many requests",
                 *       "status": 429,
                 *       "detail": "Too many requests; try again in 12 seconds.",
                 *       "instance": "/api/v1/users",
                 *       "error": "Too many requests; try again in 12 seconds.",
                 *       "code": "RATE_LIMITED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `INTERNAL`. An unexpected failure. */
        Internal: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#INTERNAL",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "Something went wrong on our side.",
                 *       "instance": "/api/v1/users",
                 *       "error": "Something went wrong on our side.",
                 *       "code": "INTERNAL"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `NOT_IMPLEMENTED`. This installation has no payment gateway; nothing was settled. */
        NotImplemented: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#NOT_IMPLEMENTED",
                 *       "title": "Not implemented",
                 *       "status": 501,
                 *       "detail": "Payment is not available in this installation.",
                 *       "instance": "/api/v1/orders/7/payment",
                 *       "error": "Payment is not available in this installation.",
                 *       "code": "NOT_IMPLEMENTED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `BAD_GATEWAY`. The payment gateway failed; the order is `pending`, or `processing` until it is known what was taken. */
        BadGateway: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#BAD_GATEWAY",
                 *       "title": "Bad gateway",
                 *       "status": 502,
                 *       "detail": "The payment gateway failed.",
                 *       "instance": "/api/v1/orders/7/payment",
                 *       "error": "The payment gateway failed.",
                 *       "code": "BAD_GATEWAY"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `UNAVAILABLE`. Overloaded, starting, stopping, or without the database. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description The version that served the request. Absent under overload. */
                "API-Version"?: "1";
                /** @description How many requests the caller has in a minute. Absent under overload. */
                "X-Rate-Limit-Limit"?: number;
                /** @description How many of them are left. Absent under overload. */
                "X-Rate-Limit-Remaining"?: number;
                /** @description When the count falls, as a Unix time in seconds. Absent under overload. */
                "X-Rate-Limit-Reset"?: number;
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#UNAVAILABLE",
                 *       "title": "Unavailable",
                 *       "status": 503,
                 *       "detail": "The service is overloaded; try again in 2 seconds.",
                 *       "instance": "/api/v1/users",
                 *       "error": "The service is overloaded; try again in 2 seconds.",
                 *       "code": "UNAVAILABLE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `GATEWAY_TIMEOUT`. The payment gateway took too long; the order is `processing` until it is known what was taken. */
        GatewayTimeout: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#GATEWAY_TIMEOUT",
                 *       "title": "Gateway timeout",
                 *       "status": 504,
                 *       "detail": "The payment gateway did not answer in time.",
                 *       "instance": "/api/v1/orders/7/payment",
                 *       "error": "The payment gateway did not answer in time.",
                 *       "code": "GATEWAY_TIMEOUT"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `INSUFFICIENT_STORAGE`. There is no room left to store the change. */
        InsufficientStorage: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
                "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
                "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#INSUFFICIENT_STORAGE",
                 *       "title": "Insufficient storage",
                 *       "status": 507,
                 *       "detail": "There is no room left to store this.",
                 *       "instance": "/api/v1/users",
                 *       "error": "There is no room left to store this.",
                 *       "code": "INSUFFICIENT_STORAGE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `BAD_REQUEST`. The request has an unknown query parameter. */
        PlatformBadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#BAD_REQUEST",
                 *       "title": "Bad request",
                 *       "status": 400,
                 *       "detail": "A parameter cannot be read.",
                 *       "instance": "/readyz",
                 *       "error": "A parameter cannot be read.",
                 *       "code": "BAD_REQUEST",
                 *       "errors": [
                 *         {
                 *           "parameter": "verbose",
                 *           "detail": "is not known"
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `UNAUTHENTICATED`. The metrics token is missing or wrong. */
        PlatformUnauthenticated: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#UNAUTHENTICATED",
                 *       "title": "Unauthenticated",
                 *       "status": 401,
                 *       "detail": "The metrics need their token.",
                 *       "instance": "/metrics",
                 *       "error": "The metrics need their token.",
                 *       "code": "UNAUTHENTICATED"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `FORBIDDEN`. The metrics token came over plain HTTP; or a browser calls a demo under a foreign name. */
        PlatformForbidden: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#FORBIDDEN",
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "detail": "Credentials are accepted over HTTPS only.",
                 *       "instance": "/metrics",
                 *       "error": "Credentials are accepted over HTTPS only.",
                 *       "code": "FORBIDDEN"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `INTERNAL`. An unexpected failure. */
        PlatformInternal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#INTERNAL",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "Something went wrong on our side.",
                 *       "instance": "/openapi.yaml",
                 *       "error": "Something went wrong on our side.",
                 *       "code": "INTERNAL"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `UNAVAILABLE`. Overloaded, starting or stopping. */
        PlatformUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/docs/errors#UNAVAILABLE",
                 *       "title": "Unavailable",
                 *       "status": 503,
                 *       "detail": "The service is overloaded; try again in 2 seconds.",
                 *       "instance": "/openapi.yaml",
                 *       "error": "The service is overloaded; try again in 2 seconds.",
                 *       "code": "UNAVAILABLE"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
         * @example 1
         */
        Version: "1";
        /**
         * @description The id of a user.
         * @example 42
         */
        UserIdInPath: components["schemas"]["UserId"];
        /**
         * @description The id of an order.
         * @example 7
         */
        OrderIdInPath: components["schemas"]["OrderId"];
        /**
         * @description The id of a session.
         * @example 01993b5c-7d2e-7c4a-9f10-3b8a6c2d4e5f
         */
        SessionIdInPath: components["schemas"]["SessionId"];
        /**
         * @description How many entries at most, in the offset and cursor styles. 20 when absent.
         * @example 20
         */
        Limit: number;
        /**
         * @description How many entries to skip, in the offset style. 0 when absent.
         * @example 40
         */
        Offset: number;
        /**
         * @description Which page, counted from 1, in the page style. 1 when absent.
         * @example 3
         */
        Page: number;
        /**
         * @description How many entries a page has at most, in the page style. 20 when absent.
         * @example 20
         */
        PerPage: number;
        /**
         * @description Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400.
         * @example
         */
        After: string;
        /**
         * @description Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly.
         * @example "42-3"
         */
        IfMatch: string;
        /**
         * @description Answers 304 if the present `ETag` is among these. Compared weakly.
         * @example "42-3"
         */
        IfNoneMatch: string;
        /**
         * @description One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document.
         * @example bytes=0-1023
         */
        Range: string;
        /**
         * @description Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent.
         * @example "5d41402a"
         */
        IfRange: string;
        /** @description `return=minimal` for 204 without a body, `return=representation` for 200 with the user. When absent, PUT and PATCH answer with the representation and DELETE without. Other preferences are ignored (RFC 7240). */
        PreferReturn: string;
        /**
         * @description `respond-async` for 202 at once, while the payment is processed. Other preferences are ignored (RFC 7240).
         * @example respond-async
         */
        PreferAsync: string;
        /**
         * @description A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it.
         * @example acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o
         */
        RefreshCookie: components["schemas"]["RefreshToken"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The version that served the request; the newest where none was selected.
         * @example 1
         */
        "API-Version": "1";
        /**
         * @description Identifies this request in the log of the service.
         * @example 01993b5c-9a41-7f03-8c55-1d2e3f4a5b6c
         */
        "X-Request-Id": string;
        /**
         * @description How many requests the caller has in a minute.
         * @example 300
         */
        "X-Rate-Limit-Limit": number;
        /**
         * @description How many of them are left.
         * @example 299
         */
        "X-Rate-Limit-Remaining": number;
        /**
         * @description When the oldest counted request is a minute old and the count falls, as a Unix time in seconds.
         * @example 1769860860
         */
        "X-Rate-Limit-Reset": number;
        /**
         * @description After how many seconds to try again.
         * @example 12
         */
        "Retry-After": number;
        /**
         * @description The accepted schemes (RFC 7617, RFC 6750). On every 401; on a 403 only where a bearer token lacks permission, with `error="insufficient_scope"`.
         * @example Basic realm="accord", charset="UTF-8", Bearer realm="accord", error="invalid_token"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that the path has.
         * @example GET, HEAD, PUT, PATCH, DELETE
         */
        Allow: string;
        /**
         * @description Identifies this state of the list or document, for `If-None-Match`.
         * @example W/"5d41402a"
         */
        EntityTag: string;
        /**
         * @description Identifies this state of the resource, for `If-Match` and `If-None-Match`. A strong tag.
         * @example "42-3"
         */
        ResourceTag: string;
        /**
         * @description `no-store` where the answer holds tokens, and on failures. `private, no-cache` for resources: keep it, and ask again with `If-None-Match`. `public` with a `max-age` for the key set (at most 300 seconds) and the published contracts.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description The request headers that chose this answer; holds `Accept` where that selected the version.
         * @example Accept
         */
        Vary: string;
        /**
         * @description The unit in which a part of the document can be asked for.
         * @example bytes
         */
        "Accept-Ranges": "bytes";
        /**
         * @description Which part of the document this is, and its whole length.
         * @example bytes 0-1023/51200
         */
        "Content-Range": string;
        /**
         * @description The path to go to, or that of the new or changing resource.
         * @example /api/v1/users/42
         */
        Location: string;
        /**
         * @description The neighbouring pages `first`, `prev`, `next` and `last` (RFC 8288). On arrays only.
         * @example </api/v1/users?limit=20&offset=20>; rel="next", </api/v1/users?limit=20&offset=80>; rel="last"
         */
        Link: string;
        /**
         * @description How many entries the whole list has. On arrays only.
         * @example 93
         */
        "X-Total-Count": number;
        /**
         * @description One header line for each item. `__Host-accord_access` and `__Secure-accord_refresh`, over plain HTTP without the prefixes; both `HttpOnly`, `Secure` and `SameSite=Strict`; the refresh cookie with `Path=/api/v1/auth`. Set or renewed when cookies were asked for, cleared by the logout.
         * @example [
         *       "__Host-accord_access=aco_v5T1nG8sQ2wE7rY4uI9oP3aS6dF0gH1jK5lZ8xC2vB4; Path=/; HttpOnly; Secure; SameSite=Strict"
         *     ]
         */
        "Set-Cookie": string[];
        /**
         * @description The preference of `Prefer` that was honoured (RFC 7240).
         * @example return=minimal
         */
        "Preference-Applied": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
                /**
                 * @description How many entries at most, in the offset and cursor styles. 20 when absent.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many entries to skip, in the offset style. 0 when absent.
                 * @example 40
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description Which page, counted from 1, in the page style. 1 when absent.
                 * @example 3
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many entries a page has at most, in the page style. 20 when absent.
                 * @example 20
                 */
                per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400.
                 * @example
                 */
                after?: components["parameters"]["After"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UsersListed"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUserRequest"];
            };
        };
        responses: {
            201: components["responses"]["UserCreated"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserFound"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly.
                 * @example "42-3"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `return=minimal` for 204 without a body, `return=representation` for 200 with the user. When absent, PUT and PATCH answer with the representation and DELETE without. Other preferences are ignored (RFC 7240). */
                Prefer?: components["parameters"]["PreferReturn"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceUserRequest"];
            };
        };
        responses: {
            200: components["responses"]["UserUpdated"];
            204: components["responses"]["UserUpdatedMinimal"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly.
                 * @example "42-3"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `return=minimal` for 204 without a body, `return=representation` for 200 with the user. When absent, PUT and PATCH answer with the representation and DELETE without. Other preferences are ignored (RFC 7240). */
                Prefer?: components["parameters"]["PreferReturn"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserDeleted"];
            204: components["responses"]["NoContent"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    updateUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Writes only if the present `ETag` is among these, or exists at all for `*`; otherwise 412. Compared strongly.
                 * @example "42-3"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `return=minimal` for 204 without a body, `return=representation` for 200 with the user. When absent, PUT and PATCH answer with the representation and DELETE without. Other preferences are ignored (RFC 7240). */
                Prefer?: components["parameters"]["PreferReturn"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
                "application/merge-patch+json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            200: components["responses"]["UserUpdated"];
            204: components["responses"]["UserUpdatedMinimal"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    changePassword: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
                /**
                 * @description How many entries at most, in the offset and cursor styles. 20 when absent.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many entries to skip, in the offset style. 0 when absent.
                 * @example 40
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description Which page, counted from 1, in the page style. 1 when absent.
                 * @example 3
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many entries a page has at most, in the page style. 20 when absent.
                 * @example 20
                 */
                per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400.
                 * @example
                 */
                after?: components["parameters"]["After"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OrdersListed"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createOrder: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrderRequest"];
            };
        };
        responses: {
            201: components["responses"]["OrderCreated"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getUserOrder: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description The id of a user.
                 * @example 42
                 */
                user_id: components["parameters"]["UserIdInPath"];
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OrderFound"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OrderFound"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OrderCancelled"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    payOrder: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description A key of the client's choice, such as a UUID, that makes repeating this request safe. Compared as sent, and kept 24 hours for this caller and operation. A key of another form is 422.
                 * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` for 202 at once, while the payment is processed. Other preferences are ignored (RFC 7240).
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["PreferAsync"];
            };
            path: {
                /**
                 * @description The id of an order.
                 * @example 7
                 */
                order_id: components["parameters"]["OrderIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PayOrderRequest"];
            };
        };
        responses: {
            200: components["responses"]["OrderPaid"];
            202: components["responses"]["PaymentAccepted"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["PaymentRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            501: components["responses"]["NotImplemented"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["GatewayTimeout"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    login: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            200: components["responses"]["LoggedIn"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    refreshSession: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: {
                /**
                 * @description The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it.
                 * @example acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o
                 */
                accord_refresh?: components["parameters"]["RefreshCookie"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            200: components["responses"]["SessionRefreshed"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    logout: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: {
                /**
                 * @description The refresh token, as set by a login with `"cookie":true`. Over HTTPS its name is `__Secure-accord_refresh`, and no other counts. The body wins over it.
                 * @example acr_Zk3vQ8mN1xR7tY5wB2cD9eF4gH6jK0lP3sU8vX1yA7o
                 */
                accord_refresh?: components["parameters"]["RefreshCookie"];
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            204: components["responses"]["LoggedOut"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserFound"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
                /**
                 * @description How many entries at most, in the offset and cursor styles. 20 when absent.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many entries to skip, in the offset style. 0 when absent.
                 * @example 40
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description Which page, counted from 1, in the page style. 1 when absent.
                 * @example 3
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many entries a page has at most, in the page style. 20 when absent.
                 * @example 20
                 */
                per_page?: components["parameters"]["PerPage"];
                /**
                 * @description Chooses the cursor style. Empty for the first page, then the `cursor.next` of the page before. Opaque; a forged one is 400.
                 * @example
                 */
                after?: components["parameters"]["After"];
            };
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SessionsListed"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    revokeSession: {
        parameters: {
            query?: {
                /**
                 * @description Selects the version. Any other value, or one that disagrees with another selector, is 400.
                 * @example 1
                 */
                version?: components["parameters"]["Version"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a session.
                 * @example 01993b5c-7d2e-7c4a-9f10-3b8a6c2d4e5f
                 */
                session_id: components["parameters"]["SessionIdInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["KeysFound"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            302: components["responses"]["DocumentationFound"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
            503: components["responses"]["PlatformUnavailable"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Alive"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Ready"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
            500: components["responses"]["PlatformInternal"];
            503: components["responses"]["NotReady"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Metrics"];
            400: components["responses"]["PlatformBadRequest"];
            401: components["responses"]["PlatformUnauthenticated"];
            403: components["responses"]["PlatformForbidden"];
            500: components["responses"]["PlatformInternal"];
        };
    };
    getOpenApiYaml: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document.
                 * @example bytes=0-1023
                 */
                Range?: components["parameters"]["Range"];
                /**
                 * @description Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent.
                 * @example "5d41402a"
                 */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OpenApiYaml"];
            206: components["responses"]["OpenApiYamlPart"];
            304: components["responses"]["DocumentNotModified"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
            500: components["responses"]["PlatformInternal"];
            503: components["responses"]["PlatformUnavailable"];
        };
    };
    getOpenApiJson: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document.
                 * @example bytes=0-1023
                 */
                Range?: components["parameters"]["Range"];
                /**
                 * @description Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent.
                 * @example "5d41402a"
                 */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OpenApiJson"];
            206: components["responses"]["OpenApiJsonPart"];
            304: components["responses"]["DocumentNotModified"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
            500: components["responses"]["PlatformInternal"];
            503: components["responses"]["PlatformUnavailable"];
        };
    };
    getGraphqlSchema: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answers 304 if the present `ETag` is among these. Compared weakly.
                 * @example "42-3"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description One range of bytes (RFC 9110). Several ranges, and other units, are answered with the whole document.
                 * @example bytes=0-1023
                 */
                Range?: components["parameters"]["Range"];
                /**
                 * @description Obeys `Range` only if the document still has this `ETag`; otherwise the whole document is sent.
                 * @example "5d41402a"
                 */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["GraphqlSchema"];
            206: components["responses"]["GraphqlSchemaPart"];
            304: components["responses"]["DocumentNotModified"];
            400: components["responses"]["PlatformBadRequest"];
            403: components["responses"]["PlatformForbidden"];
            500: components["responses"]["PlatformInternal"];
            503: components["responses"]["PlatformUnavailable"];
        };
    };
}
