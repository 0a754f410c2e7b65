PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_issue` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`reference` text NOT NULL,
	`title` text NOT NULL,
	`search_folded` text NOT NULL,
	`description` text,
	`url` text,
	`raised_on` text NOT NULL,
	`live` integer NOT NULL,
	`standing` integer NOT NULL,
	`due_on` text,
	`due_key` text NOT NULL,
	`details` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`assignee_id` text,
	`assignee_name` text,
	`risk_id` text,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`assignee_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`risk_id`) REFERENCES `risk`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "issue_reference_text" CHECK("__new_issue"."reference" = trim("__new_issue"."reference") and length("__new_issue"."reference") between 1 and 100),
	CONSTRAINT "issue_title_text" CHECK("__new_issue"."title" = trim("__new_issue"."title") and length("__new_issue"."title") between 1 and 500),
	CONSTRAINT "issue_description_text" CHECK("__new_issue"."description" = trim("__new_issue"."description") and length("__new_issue"."description") between 1 and 10000),
	CONSTRAINT "issue_url_text" CHECK("__new_issue"."url" = trim("__new_issue"."url") and length("__new_issue"."url") between 1 and 2000),
	CONSTRAINT "issue_status" CHECK(("__new_issue"."status" = 'OPEN' or "__new_issue"."status" = 'IN_PROGRESS' or "__new_issue"."status" = 'BLOCKED' or "__new_issue"."status" = 'RESOLVED' or "__new_issue"."status" = 'CLOSED')),
	CONSTRAINT "issue_live" CHECK("__new_issue"."live" = case when ("__new_issue"."status" = 'OPEN' or "__new_issue"."status" = 'IN_PROGRESS' or "__new_issue"."status" = 'BLOCKED') then 1 else 0 end),
	CONSTRAINT "issue_raised_on" CHECK("__new_issue"."raised_on" like '____-__-__'),
	CONSTRAINT "issue_due_on" CHECK("__new_issue"."due_on" like '____-__-__'),
	CONSTRAINT "issue_due_key" CHECK("__new_issue"."due_key" = coalesce("__new_issue"."due_on", '9999-99-99')),
	CONSTRAINT "issue_details" CHECK("__new_issue"."details" like '[{%}]'),
	CONSTRAINT "issue_created_at" CHECK("__new_issue"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_updated_at" CHECK("__new_issue"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_assignee_name_text" CHECK("__new_issue"."assignee_name" = trim("__new_issue"."assignee_name") and length("__new_issue"."assignee_name") between 1 and 200),
	CONSTRAINT "issue_severity" CHECK(("__new_issue"."severity" = 'LOW' or "__new_issue"."severity" = 'MEDIUM' or "__new_issue"."severity" = 'HIGH' or "__new_issue"."severity" = 'CRITICAL')),
	CONSTRAINT "issue_standing" CHECK("__new_issue"."standing" = case "__new_issue"."severity" when 'LOW' then 0 when 'MEDIUM' then -1 when 'HIGH' then -2 when 'CRITICAL' then -3 end)
);
--> statement-breakpoint
INSERT INTO `__new_issue`("id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "due_on", "due_key", "details", "created_at", "updated_at", "status", "severity", "assignee_id", "assignee_name", "risk_id") SELECT "id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "due_on", coalesce("due_on", '9999-99-99'), "details", "created_at", "updated_at", "status", "severity", "assignee_id", "assignee_name", "risk_id" FROM `issue`;--> statement-breakpoint
DROP TABLE `issue`;--> statement-breakpoint
ALTER TABLE `__new_issue` RENAME TO `issue`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `issue_reference` ON `issue` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `issue_by_live` ON `issue` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_status` ON `issue` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_project` ON `issue` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_due` ON `issue` (`live`,`due_key`,`standing`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_updated` ON `issue` (`live`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_assignee` ON `issue` (`assignee_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_risk` ON `issue` (`risk_id`);--> statement-breakpoint
ALTER TABLE `person` ADD `title_folded` text;--> statement-breakpoint
CREATE INDEX `person_by_updated` ON `person` (`status`,`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `__new_risk` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`reference` text NOT NULL,
	`title` text NOT NULL,
	`search_folded` text NOT NULL,
	`description` text,
	`url` text,
	`raised_on` text NOT NULL,
	`live` integer NOT NULL,
	`standing` integer NOT NULL,
	`due_on` text,
	`due_key` text NOT NULL,
	`details` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`status` text NOT NULL,
	`category` text,
	`category_folded` text,
	`likelihood` integer,
	`impact` integer,
	`score_given` integer,
	`score` integer NOT NULL,
	`response` text,
	`mitigation` text,
	`cause` text,
	`residual_likelihood` integer,
	`residual_impact` integer,
	`owner_id` text,
	`owner_name` text,
	`review_on` text,
	FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "risk_reference_text" CHECK("__new_risk"."reference" = trim("__new_risk"."reference") and length("__new_risk"."reference") between 1 and 100),
	CONSTRAINT "risk_title_text" CHECK("__new_risk"."title" = trim("__new_risk"."title") and length("__new_risk"."title") between 1 and 500),
	CONSTRAINT "risk_description_text" CHECK("__new_risk"."description" = trim("__new_risk"."description") and length("__new_risk"."description") between 1 and 10000),
	CONSTRAINT "risk_url_text" CHECK("__new_risk"."url" = trim("__new_risk"."url") and length("__new_risk"."url") between 1 and 2000),
	CONSTRAINT "risk_status" CHECK(("__new_risk"."status" = 'OPEN' or "__new_risk"."status" = 'OCCURRED' or "__new_risk"."status" = 'CLOSED')),
	CONSTRAINT "risk_live" CHECK("__new_risk"."live" = case when ("__new_risk"."status" = 'OPEN' or "__new_risk"."status" = 'OCCURRED') then 1 else 0 end),
	CONSTRAINT "risk_raised_on" CHECK("__new_risk"."raised_on" like '____-__-__'),
	CONSTRAINT "risk_due_on" CHECK("__new_risk"."due_on" like '____-__-__'),
	CONSTRAINT "risk_due_key" CHECK("__new_risk"."due_key" = coalesce("__new_risk"."due_on", '9999-99-99')),
	CONSTRAINT "risk_details" CHECK("__new_risk"."details" like '[{%}]'),
	CONSTRAINT "risk_created_at" CHECK("__new_risk"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_updated_at" CHECK("__new_risk"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_category_text" CHECK("__new_risk"."category" = trim("__new_risk"."category") and length("__new_risk"."category") between 1 and 200),
	CONSTRAINT "risk_mitigation_text" CHECK("__new_risk"."mitigation" = trim("__new_risk"."mitigation") and length("__new_risk"."mitigation") between 1 and 10000),
	CONSTRAINT "risk_cause_text" CHECK("__new_risk"."cause" = trim("__new_risk"."cause") and length("__new_risk"."cause") between 1 and 10000),
	CONSTRAINT "risk_owner_name_text" CHECK("__new_risk"."owner_name" = trim("__new_risk"."owner_name") and length("__new_risk"."owner_name") between 1 and 200),
	CONSTRAINT "risk_category_folded" CHECK(("__new_risk"."category" is null) = ("__new_risk"."category_folded" is null)),
	CONSTRAINT "risk_likelihood" CHECK(("__new_risk"."likelihood" = 1 or "__new_risk"."likelihood" = 2 or "__new_risk"."likelihood" = 3 or "__new_risk"."likelihood" = 4 or "__new_risk"."likelihood" = 5)),
	CONSTRAINT "risk_impact" CHECK(("__new_risk"."impact" = 1 or "__new_risk"."impact" = 2 or "__new_risk"."impact" = 3 or "__new_risk"."impact" = 4 or "__new_risk"."impact" = 5)),
	CONSTRAINT "risk_assessed" CHECK(("__new_risk"."likelihood" is null) = ("__new_risk"."impact" is null)),
	CONSTRAINT "risk_score_given" CHECK("__new_risk"."score_given" between 0 and 25 and "__new_risk"."score_given" = cast("__new_risk"."score_given" as integer)),
	CONSTRAINT "risk_score_needed" CHECK("__new_risk"."score_given" is null or "__new_risk"."likelihood" is null),
	CONSTRAINT "risk_score" CHECK("__new_risk"."score" = coalesce("__new_risk"."likelihood" * "__new_risk"."impact", "__new_risk"."score_given", 0)),
	CONSTRAINT "risk_standing" CHECK("__new_risk"."standing" = -("__new_risk"."score" * 10 + coalesce("__new_risk"."impact", 0))),
	CONSTRAINT "risk_response" CHECK(("__new_risk"."response" = 'AVOID' or "__new_risk"."response" = 'MITIGATE' or "__new_risk"."response" = 'TRANSFER' or "__new_risk"."response" = 'ACCEPT')),
	CONSTRAINT "risk_residual_likelihood" CHECK(("__new_risk"."residual_likelihood" = 1 or "__new_risk"."residual_likelihood" = 2 or "__new_risk"."residual_likelihood" = 3 or "__new_risk"."residual_likelihood" = 4 or "__new_risk"."residual_likelihood" = 5)),
	CONSTRAINT "risk_residual_impact" CHECK(("__new_risk"."residual_impact" = 1 or "__new_risk"."residual_impact" = 2 or "__new_risk"."residual_impact" = 3 or "__new_risk"."residual_impact" = 4 or "__new_risk"."residual_impact" = 5)),
	CONSTRAINT "risk_residual_assessed" CHECK(("__new_risk"."residual_likelihood" is null) = ("__new_risk"."residual_impact" is null)),
	CONSTRAINT "risk_review_on" CHECK("__new_risk"."review_on" like '____-__-__')
);
--> statement-breakpoint
INSERT INTO `__new_risk`("id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "due_on", "due_key", "details", "created_at", "updated_at", "status", "category", "category_folded", "likelihood", "impact", "score_given", "score", "response", "mitigation", "cause", "residual_likelihood", "residual_impact", "owner_id", "owner_name", "review_on") SELECT "id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "due_on", coalesce("due_on", '9999-99-99'), "details", "created_at", "updated_at", "status", "category", "category_folded", "likelihood", "impact", "score_given", "score", "response", "mitigation", "cause", "residual_likelihood", "residual_impact", "owner_id", "owner_name", "review_on" FROM `risk`;--> statement-breakpoint
DROP TABLE `risk`;--> statement-breakpoint
ALTER TABLE `__new_risk` RENAME TO `risk`;--> statement-breakpoint
CREATE UNIQUE INDEX `risk_reference` ON `risk` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `risk_by_live` ON `risk` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_status` ON `risk` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_project` ON `risk` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_due` ON `risk` (`live`,`due_key`,`standing`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_updated` ON `risk` (`live`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_likelihood` ON `risk` (`likelihood`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_impact` ON `risk` (`impact`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_owner` ON `risk` (`owner_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_category` ON `risk` (`category_folded`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `groups_by_updated` ON `groups` (`updated_at`);--> statement-breakpoint
CREATE INDEX `project_by_updated` ON `project` (`updated_at`);--> statement-breakpoint
-- Older programs store no sort key of the due day.
UPDATE revision SET least_version = '0.3.0';
