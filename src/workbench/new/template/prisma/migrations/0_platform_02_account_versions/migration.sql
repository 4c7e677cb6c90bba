-- Each revocation draws a version, and tokens contain the last one, so that "issued before" needs no clock.
-- AlterTable
ALTER TABLE "revocations" ADD COLUMN     "version" BIGSERIAL NOT NULL;

-- The `last_value` of an unused sequence has not been drawn.
SELECT nextval('revocations_version_seq');

-- An update draws a version, too, also one by a release that does not know the column.
CREATE FUNCTION "draw_account_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."version" := nextval('revocations_version_seq');
    RETURN NEW;
END
$$;

CREATE TRIGGER "revocations_version" BEFORE UPDATE ON "revocations"
    FOR EACH ROW EXECUTE FUNCTION "draw_account_version"();
