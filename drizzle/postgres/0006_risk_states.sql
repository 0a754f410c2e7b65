DROP INDEX "change_by_kind";--> statement-breakpoint
DROP INDEX "change_by_project";--> statement-breakpoint
ALTER TABLE "change" ADD COLUMN "state_from" integer;--> statement-breakpoint
ALTER TABLE "change" ADD COLUMN "state_to" integer;--> statement-breakpoint
WITH "recorded" AS (
	SELECT "id", "entity_id",
		CASE WHEN "fields"::json -> 'score' IS NOT NULL THEN coalesce(("fields"::json -> 'score' ->> 0)::integer, 0) END AS "score_from",
		CASE WHEN "fields"::json -> 'score' IS NOT NULL THEN coalesce(("fields"::json -> 'score' ->> 1)::integer, 0) END AS "score_to",
		CASE WHEN "fields"::json -> 'status' IS NOT NULL THEN coalesce("fields"::json -> 'status' ->> 0 IN ('OPEN', 'OCCURRED'), false)::integer END AS "live_from",
		CASE WHEN "fields"::json -> 'status' IS NOT NULL THEN coalesce("fields"::json -> 'status' ->> 1 IN ('OPEN', 'OCCURRED'), false)::integer END AS "live_to"
	FROM "change" WHERE "entity" = 'RISK'
	UNION ALL SELECT 68719476736, "id", "score", "score", "live", "live" FROM "risk"
), "folded" AS (
	SELECT "id", "score_to", "live_to",
		min("id" * 1000 + "score_from") OVER "later" % 1000 AS "score_from",
		min("id" * 1000 + "live_from") OVER "later" % 1000 AS "live_from"
	FROM "recorded" WINDOW "later" AS (PARTITION BY "entity_id" ORDER BY "id" DESC ROWS UNBOUNDED PRECEDING)
), "state" AS (
	SELECT "id", "live_from" * ("score_from" + 1) AS "before",
		coalesce("live_to", "live_from") * (coalesce("score_to", "score_from") + 1) AS "after" FROM "folded"
)
UPDATE "change" SET "state_from" = "state"."before", "state_to" = "state"."after"
	FROM "state" WHERE "state"."id" = "change"."id" AND "state"."before" <> "state"."after";--> statement-breakpoint
CREATE INDEX "change_by_kind" ON "change" USING btree ("entity","id","state_from","state_to");--> statement-breakpoint
CREATE INDEX "change_by_project" ON "change" USING btree ("project_id","entity","id","state_from","state_to");