ALTER TABLE "change" ADD COLUMN "project_id" text collate "C";--> statement-breakpoint
ALTER TABLE "change" ADD COLUMN "nonce" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "change" SET "nonce" = 1 + floor(random() * 140737488355327), "project_id" = CASE "entity"
	WHEN 'PROJECT' THEN "entity_id"
	WHEN 'RISK' THEN (SELECT "project_id" FROM "risk" WHERE "id" = "entity_id")
	WHEN 'ISSUE' THEN (SELECT "project_id" FROM "issue" WHERE "id" = "entity_id")
END;--> statement-breakpoint
CREATE INDEX "change_by_kind" ON "change" USING btree ("entity","id");--> statement-breakpoint
CREATE INDEX "change_by_project" ON "change" USING btree ("project_id","entity","id");