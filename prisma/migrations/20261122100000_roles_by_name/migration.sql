-- Which roles there are is said by the contracts; the database keeps their names.
-- AlterTable
ALTER TABLE "users" ALTER COLUMN "role" SET DATA TYPE TEXT USING "role"::text;

-- AlterTable
ALTER TABLE "revocations" ALTER COLUMN "role" SET DATA TYPE TEXT USING "role"::text;

-- DropEnum
DROP TYPE "role";
