-- CreateTable
CREATE TABLE "known_networks" (
    "user_id" INTEGER NOT NULL,
    "network" BYTEA NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_networks_pkey" PRIMARY KEY ("user_id","network")
);

-- CreateIndex
CREATE INDEX "known_networks_last_seen_idx" ON "known_networks"("last_seen");

-- AddForeignKey
ALTER TABLE "known_networks" ADD CONSTRAINT "known_networks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
