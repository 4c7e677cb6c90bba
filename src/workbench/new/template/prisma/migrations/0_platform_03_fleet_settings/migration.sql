-- The settings in which all instances agree.
-- CreateTable
CREATE TABLE "fleet_settings" (
    "name" TEXT NOT NULL,
    "code" TEXT NOT NULL,

    CONSTRAINT "fleet_settings_pkey" PRIMARY KEY ("name","code")
);
