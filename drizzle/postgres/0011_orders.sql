ALTER TABLE "issue" ADD COLUMN "due_key" text collate "C";--> statement-breakpoint
UPDATE "issue" SET "due_key" = coalesce("due_on", '9999-99-99');--> statement-breakpoint
ALTER TABLE "issue" ALTER COLUMN "due_key" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "person" ADD COLUMN "title_folded" text collate "C";--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "due_key" text collate "C";--> statement-breakpoint
UPDATE "risk" SET "due_key" = coalesce("due_on", '9999-99-99');--> statement-breakpoint
ALTER TABLE "risk" ALTER COLUMN "due_key" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "groups_by_updated" ON "groups" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "issue_by_due" ON "issue" USING btree ("live","due_key","standing","id");--> statement-breakpoint
CREATE INDEX "issue_by_updated" ON "issue" USING btree ("live","updated_at","id");--> statement-breakpoint
CREATE INDEX "person_by_updated" ON "person" USING btree ("status","updated_at","id");--> statement-breakpoint
CREATE INDEX "project_by_updated" ON "project" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "risk_by_due" ON "risk" USING btree ("live","due_key","standing","id");--> statement-breakpoint
CREATE INDEX "risk_by_updated" ON "risk" USING btree ("live","updated_at","id");--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_due_key" CHECK ("issue"."due_key" = coalesce("issue"."due_on", '9999-99-99'));--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_due_key" CHECK ("risk"."due_key" = coalesce("risk"."due_on", '9999-99-99'));--> statement-breakpoint
-- Older programs store no sort key of the due day.
UPDATE revision SET least_version = '0.3.0';
