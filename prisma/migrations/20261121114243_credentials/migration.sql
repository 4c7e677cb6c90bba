-- AlterTable
ALTER TABLE "refresh_tokens" ADD COLUMN     "parent" BYTEA;

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "position" BIGSERIAL NOT NULL,
ADD COLUMN     "token_hash" BYTEA;

-- CreateTable
CREATE TABLE "throttles" (
    "key" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "resets_at" TIMESTAMPTZ(3) NOT NULL,
    "blocked_until" TIMESTAMPTZ(3),

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "throttles_resets_at_idx" ON "throttles"("resets_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_parent_idx" ON "refresh_tokens"("parent");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_position_key" ON "sessions"("position");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");
