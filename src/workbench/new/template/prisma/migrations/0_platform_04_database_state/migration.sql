-- One row, by which the service notices that the database went back to an earlier state.
-- CreateTable
CREATE TABLE "database_state" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "generation" TEXT,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "beat" BIGINT NOT NULL DEFAULT 0,
    "server" TEXT NOT NULL,
    "relation" OID NOT NULL,
    "drawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "database_state_pkey" PRIMARY KEY ("id")
);
