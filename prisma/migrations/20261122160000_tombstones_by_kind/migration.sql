-- Which kinds of rows leave a tombstone is said by the services that delete them; the database keeps their names.
-- AlterTable
ALTER TABLE "tombstones" ALTER COLUMN "kind" SET DATA TYPE TEXT USING "kind"::text;

-- DropEnum
DROP TYPE "tombstone_kind";
