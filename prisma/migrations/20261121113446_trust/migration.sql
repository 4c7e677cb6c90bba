-- AlterTable
ALTER TABLE "signing_keys" ADD COLUMN     "signs_from" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "revocations" (
    "user_id" INTEGER NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL,
    "role" "role",

    CONSTRAINT "revocations_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event" TEXT NOT NULL,
    "actor_id" INTEGER,
    "subject" TEXT,
    "address" TEXT,
    "request_id" TEXT,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "revocations_revoked_at_idx" ON "revocations"("revoked_at");

-- CreateIndex
CREATE INDEX "audit_events_event_id_idx" ON "audit_events"("event", "id");

-- CreateIndex
CREATE INDEX "audit_events_actor_id_id_idx" ON "audit_events"("actor_id", "id");

-- CreateIndex
CREATE INDEX "audit_events_subject_id_idx" ON "audit_events"("subject", "id");
-- What signed before this migration goes on signing.
UPDATE "signing_keys" SET "signs_from" = "created_at";

-- The audit table is append-only, for this service too.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_events is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_events"
    FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
