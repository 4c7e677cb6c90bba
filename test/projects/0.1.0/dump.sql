CREATE TYPE public.key_state AS ENUM (
    'NEXT',
    'CURRENT',
    'RETIRED'
);
CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'audit_events is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TABLE public._prisma_migrations (
    id character varying(36) NOT NULL,
    checksum character varying(64) NOT NULL,
    finished_at timestamp with time zone,
    migration_name character varying(255) NOT NULL,
    logs text,
    rolled_back_at timestamp with time zone,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    applied_steps_count integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.audit_events (
    id bigint NOT NULL,
    "time" timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    event text NOT NULL,
    actor_id integer,
    subject text,
    address text,
    request_id text
);
CREATE SEQUENCE public.audit_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_events_id_seq OWNED BY public.audit_events.id;
CREATE TABLE public.books (
    id integer NOT NULL,
    owner_id integer NOT NULL,
    title text NOT NULL,
    author text NOT NULL,
    year integer,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    version integer DEFAULT 1 NOT NULL
);
CREATE SEQUENCE public.books_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.books_id_seq OWNED BY public.books.id;
CREATE TABLE public.idempotency_keys (
    caller_id integer NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    answer text,
    owner_id integer,
    work_id uuid,
    expires_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.known_networks (
    user_id integer NOT NULL,
    network bytea NOT NULL,
    last_seen timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.loans (
    id integer NOT NULL,
    book_id integer NOT NULL,
    borrower_id integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    returned_at timestamp(3) with time zone
);
CREATE SEQUENCE public.loans_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.loans_id_seq OWNED BY public.loans.id;
CREATE TABLE public.refresh_tokens (
    hash bytea NOT NULL,
    session_id uuid NOT NULL,
    parent bytea,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    used_at timestamp(3) with time zone
);
CREATE TABLE public.revocations (
    user_id integer NOT NULL,
    revoked_at timestamp(3) with time zone NOT NULL,
    role text
);
CREATE TABLE public.sessions (
    id uuid NOT NULL,
    "position" bigint NOT NULL,
    user_id integer NOT NULL,
    token_hash bytea,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    revoked_at timestamp(3) with time zone
);
CREATE SEQUENCE public.sessions_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sessions_position_seq OWNED BY public.sessions."position";
CREATE TABLE public.signing_keys (
    kid text NOT NULL,
    state public.key_state NOT NULL,
    private_key bytea NOT NULL,
    encrypted boolean NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    signs_from timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    retired_at timestamp(3) with time zone
);
CREATE TABLE public.throttles (
    key bytea NOT NULL,
    count integer NOT NULL,
    resets_at timestamp(3) with time zone NOT NULL,
    blocked_until timestamp(3) with time zone
);
CREATE TABLE public.tombstones (
    kind text NOT NULL,
    id integer NOT NULL,
    deleted_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE public.users (
    id integer NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    role text NOT NULL,
    password_hash text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    version integer DEFAULT 1 NOT NULL
);
CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;
ALTER TABLE ONLY public.audit_events ALTER COLUMN id SET DEFAULT nextval('public.audit_events_id_seq'::regclass);
ALTER TABLE ONLY public.books ALTER COLUMN id SET DEFAULT nextval('public.books_id_seq'::regclass);
ALTER TABLE ONLY public.loans ALTER COLUMN id SET DEFAULT nextval('public.loans_id_seq'::regclass);
ALTER TABLE ONLY public.sessions ALTER COLUMN "position" SET DEFAULT nextval('public.sessions_position_seq'::regclass);
ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);
INSERT INTO public._prisma_migrations VALUES ('6fbe8f43-d526-456d-965b-e18944992053', '507de5d595dc5f1263d31bd1227aef431fc6b1ea0ff5caa166fdf394981b41bf', '2026-11-27 15:27:28.280602+00', '0_platform', NULL, NULL, '2026-11-27 15:27:28.170947+00', 1);
INSERT INTO public._prisma_migrations VALUES ('83df73f7-25ad-456e-97fb-6c318133190c', '523eef8f2ab67ce20aa9ba31cc94a19b4e5d17348b5d16c93a1e92048891b355', '2026-11-27 15:27:28.303827+00', '0_platform_01_known_networks', NULL, NULL, '2026-11-27 15:27:28.29411+00', 1);
INSERT INTO public._prisma_migrations VALUES ('6ae5ec69-d7bc-4552-a4e8-78ccf71a6bfa', '9e5c2bc1f8332df27c466425ab1cffabf7b9436b6d3294d70cbf071a9048c874', '2026-11-27 15:27:28.322051+00', '1_books', NULL, NULL, '2026-11-27 15:27:28.30997+00', 1);
INSERT INTO public._prisma_migrations VALUES ('bd0039d4-f4f2-44e1-87e4-be71a7021e9b', 'e69feb1aae41cce9d08564f4c712430ee90e3a783c4d4abe88478e4c17454f8d', '2026-11-27 15:27:28.337025+00', '20261127152414_loans', NULL, NULL, '2026-11-27 15:27:28.326053+00', 1);
INSERT INTO public.audit_events VALUES (1, '2026-11-27 15:27:30.224+00', 'login', 1, 'session:01a21d9e-678c-7bc3-9b5e-dc283c3c1a5b', '127.0.0.1', '3db7be57-a761-439b-a8fc-7bc056d0703c');
INSERT INTO public.books VALUES (1, 1, 'Sketch of the Analytical Engine', 'Luigi Menabrea', 1842, '2026-11-27 15:27:28.908+00', 1);
INSERT INTO public.books VALUES (2, 1, 'Notes by the Translator', 'Ada Lovelace', 1843, '2026-11-27 15:27:28.931+00', 1);
INSERT INTO public.books VALUES (3, 1, 'Notes', 'Ada Lovelace', 1843, '2026-11-27 15:27:29.708+00', 1);
INSERT INTO public.known_networks VALUES (1, '\x249def679b916974bbe6cce626b0bbe95dd1e47f6060a4f12cd1d0620970a661', '2026-11-27 15:27:29.647+00');
INSERT INTO public.loans VALUES (2, 3, 1, '2026-11-27 15:27:29.966+00', NULL);
INSERT INTO public.loans VALUES (1, 1, 1, '2026-11-27 15:27:29.944+00', '2026-11-27 15:27:30.032+00');
INSERT INTO public.refresh_tokens VALUES ('\xe8e410f326c851486ac720b443290d213ad15c57bf124c6765153e0466b20789', '01a21d9e-678c-7bc3-9b5e-dc283c3c1a5b', NULL, '2026-11-27 15:27:30.188+00', NULL);
INSERT INTO public.sessions VALUES ('01a21d9e-678c-7bc3-9b5e-dc283c3c1a5b', 1, 1, NULL, '2026-11-27 15:27:30.188+00', '2026-12-27 15:27:30.188+00', NULL);
INSERT INTO public.throttles VALUES ('\x9b5ddfaeb168e1a2bd26c0c043d4565094b5e5aabc668139156506759e9d84a9', 0, '2026-11-27 15:42:29.527+00', NULL);
INSERT INTO public.throttles VALUES ('\x3e3f1f662617cec587ed710a1b5b35d8a77233c9eac01bf3614b8b9d66ba1353', 1, '2026-11-27 15:28:29.527+00', NULL);
INSERT INTO public.throttles VALUES ('\xe3d8e1d9e7083edfa293b8467e720bb93fabee632d9f98488fe1093825f7db13', 0, '2026-11-27 15:42:29.527+00', NULL);
INSERT INTO public.throttles VALUES ('\x79f5845faebc91f1359c13668f6f52e5a8881eda2f0aabe6dd4077f66f3450c4', 0, '2026-11-27 15:42:29.527+00', NULL);
INSERT INTO public.tombstones VALUES ('BOOK', 4, '2026-11-27 15:27:29.885+00');
INSERT INTO public.users VALUES (1, 'Ada Lovelace', 'ada@demo.example', 'ada@demo.example', 'ADMIN', '$argon2id$v=19$m=19456,t=2,p=1$9gITXEoAdmaUlSnjAXeZKw$nHvNBBUHNVY6uka5sTeVTC7L+fOX8+5r2DrtXhPw6z8', '2026-11-27 15:27:28.866+00', 1);
INSERT INTO public.users VALUES (2, 'Grace Hopper', 'grace@demo.example', 'grace@demo.example', 'MEMBER', '$argon2id$v=19$m=19456,t=2,p=1$9gITXEoAdmaUlSnjAXeZKw$nHvNBBUHNVY6uka5sTeVTC7L+fOX8+5r2DrtXhPw6z8', '2026-11-27 15:27:28.878+00', 1);
SELECT pg_catalog.setval('public.audit_events_id_seq', 1, true);
SELECT pg_catalog.setval('public.books_id_seq', 4, true);
SELECT pg_catalog.setval('public.loans_id_seq', 2, true);
SELECT pg_catalog.setval('public.sessions_position_seq', 1, true);
SELECT pg_catalog.setval('public.users_id_seq', 2, true);
ALTER TABLE ONLY public._prisma_migrations
    ADD CONSTRAINT _prisma_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.books
    ADD CONSTRAINT books_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller_id, operation, key);
ALTER TABLE ONLY public.known_networks
    ADD CONSTRAINT known_networks_pkey PRIMARY KEY (user_id, network);
ALTER TABLE ONLY public.loans
    ADD CONSTRAINT loans_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.throttles
    ADD CONSTRAINT throttles_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (kind, id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX audit_events_actor_id_id_idx ON public.audit_events USING btree (actor_id, id);
CREATE INDEX audit_events_event_id_idx ON public.audit_events USING btree (event, id);
CREATE INDEX audit_events_subject_id_idx ON public.audit_events USING btree (subject, id);
CREATE INDEX books_owner_id_idx ON public.books USING btree (owner_id);
CREATE INDEX idempotency_keys_expires_at_idx ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX idempotency_keys_owner_id_idx ON public.idempotency_keys USING btree (owner_id);
CREATE INDEX idempotency_keys_work_id_idx ON public.idempotency_keys USING btree (work_id);
CREATE INDEX known_networks_last_seen_idx ON public.known_networks USING btree (last_seen);
CREATE INDEX loans_book_id_idx ON public.loans USING btree (book_id);
CREATE INDEX loans_borrower_id_idx ON public.loans USING btree (borrower_id);
CREATE INDEX refresh_tokens_parent_idx ON public.refresh_tokens USING btree (parent);
CREATE INDEX refresh_tokens_session_id_idx ON public.refresh_tokens USING btree (session_id);
CREATE INDEX revocations_revoked_at_idx ON public.revocations USING btree (revoked_at);
CREATE INDEX sessions_expires_at_idx ON public.sessions USING btree (expires_at);
CREATE UNIQUE INDEX sessions_position_key ON public.sessions USING btree ("position");
CREATE UNIQUE INDEX sessions_token_hash_key ON public.sessions USING btree (token_hash);
CREATE INDEX sessions_user_id_idx ON public.sessions USING btree (user_id);
CREATE INDEX throttles_resets_at_idx ON public.throttles USING btree (resets_at);
CREATE UNIQUE INDEX users_email_key_key ON public.users USING btree (email_key);
CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
ALTER TABLE ONLY public.books
    ADD CONSTRAINT books_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_caller_id_fkey FOREIGN KEY (caller_id) REFERENCES public.users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.known_networks
    ADD CONSTRAINT known_networks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.loans
    ADD CONSTRAINT loans_book_id_fkey FOREIGN KEY (book_id) REFERENCES public.books(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.loans
    ADD CONSTRAINT loans_borrower_id_fkey FOREIGN KEY (borrower_id) REFERENCES public.users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON UPDATE CASCADE ON DELETE CASCADE;
