ALTER TABLE "risk" DROP CONSTRAINT "risk_score";--> statement-breakpoint
ALTER TABLE "issue" ADD COLUMN "details" text collate "C";--> statement-breakpoint
ALTER TABLE "person" ADD COLUMN "details" text collate "C";--> statement-breakpoint
ALTER TABLE "project" ADD COLUMN "details" text collate "C";--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "details" text collate "C";--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "score_given" integer;--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "mitigation" text collate "C";--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "cause" text collate "C";--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "residual_likelihood" integer;--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "residual_impact" integer;--> statement-breakpoint
ALTER TABLE "risk" ADD COLUMN "due_on" text collate "C";--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_details" CHECK ("issue"."details" like '[{%}]');--> statement-breakpoint
ALTER TABLE "person" ADD CONSTRAINT "person_details" CHECK ("person"."details" like '[{%}]');--> statement-breakpoint
ALTER TABLE "project" ADD CONSTRAINT "project_details" CHECK ("project"."details" like '[{%}]');--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_details" CHECK ("risk"."details" like '[{%}]');--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_mitigation_text" CHECK ("risk"."mitigation" = trim("risk"."mitigation") and length("risk"."mitigation") between 1 and 10000);--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_cause_text" CHECK ("risk"."cause" = trim("risk"."cause") and length("risk"."cause") between 1 and 10000);--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_score_given" CHECK ("risk"."score_given" between 0 and 25 and "risk"."score_given" = cast("risk"."score_given" as integer));--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_score_needed" CHECK ("risk"."score_given" is null or "risk"."likelihood" is null);--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_residual_likelihood" CHECK (("risk"."residual_likelihood" = 1 or "risk"."residual_likelihood" = 2 or "risk"."residual_likelihood" = 3 or "risk"."residual_likelihood" = 4 or "risk"."residual_likelihood" = 5));--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_residual_impact" CHECK (("risk"."residual_impact" = 1 or "risk"."residual_impact" = 2 or "risk"."residual_impact" = 3 or "risk"."residual_impact" = 4 or "risk"."residual_impact" = 5));--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_residual_assessed" CHECK (("risk"."residual_likelihood" is null) = ("risk"."residual_impact" is null));--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_due_on" CHECK ("risk"."due_on" like '____-__-__');--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_score" CHECK ("risk"."score" = coalesce("risk"."likelihood" * "risk"."impact", "risk"."score_given", 0));