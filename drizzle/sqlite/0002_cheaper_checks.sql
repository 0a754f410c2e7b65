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
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`assignee_id` text,
	`assignee_name` text,
	`risk_id` text,
	`due_on` text,
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
	CONSTRAINT "issue_created_at" CHECK("__new_issue"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_updated_at" CHECK("__new_issue"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_assignee_name_text" CHECK("__new_issue"."assignee_name" = trim("__new_issue"."assignee_name") and length("__new_issue"."assignee_name") between 1 and 200),
	CONSTRAINT "issue_severity" CHECK(("__new_issue"."severity" = 'LOW' or "__new_issue"."severity" = 'MEDIUM' or "__new_issue"."severity" = 'HIGH' or "__new_issue"."severity" = 'CRITICAL')),
	CONSTRAINT "issue_standing" CHECK("__new_issue"."standing" = case "__new_issue"."severity" when 'LOW' then 0 when 'MEDIUM' then -1 when 'HIGH' then -2 when 'CRITICAL' then -3 end),
	CONSTRAINT "issue_due_on" CHECK("__new_issue"."due_on" like '____-__-__')
);
--> statement-breakpoint
INSERT INTO `__new_issue`("id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "created_at", "updated_at", "status", "severity", "assignee_id", "assignee_name", "risk_id", "due_on") SELECT "id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "created_at", "updated_at", "status", "severity", "assignee_id", "assignee_name", "risk_id", "due_on" FROM `issue`;--> statement-breakpoint
DROP TABLE `issue`;--> statement-breakpoint
ALTER TABLE `__new_issue` RENAME TO `issue`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `issue_reference` ON `issue` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `issue_by_live` ON `issue` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_status` ON `issue` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_project` ON `issue` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_assignee` ON `issue` (`assignee_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_risk` ON `issue` (`risk_id`);--> statement-breakpoint
CREATE TABLE `__new_person` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`email` text,
	`email_folded` text,
	`external_id` text,
	`title` text,
	`department` text,
	`status` text NOT NULL,
	`erased_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "person_name_text" CHECK("__new_person"."name" = trim("__new_person"."name") and length("__new_person"."name") between 1 and 200),
	CONSTRAINT "person_email_text" CHECK("__new_person"."email" = trim("__new_person"."email") and length("__new_person"."email") between 1 and 254),
	CONSTRAINT "person_external_id_text" CHECK("__new_person"."external_id" = trim("__new_person"."external_id") and length("__new_person"."external_id") between 1 and 200),
	CONSTRAINT "person_title_text" CHECK("__new_person"."title" = trim("__new_person"."title") and length("__new_person"."title") between 1 and 200),
	CONSTRAINT "person_department_text" CHECK("__new_person"."department" = trim("__new_person"."department") and length("__new_person"."department") between 1 and 200),
	CONSTRAINT "person_status" CHECK(("__new_person"."status" = 'ACTIVE' or "__new_person"."status" = 'INACTIVE')),
	CONSTRAINT "person_reachable" CHECK(coalesce("__new_person"."email", "__new_person"."external_id", "__new_person"."erased_at") is not null),
	CONSTRAINT "person_erased_at" CHECK("__new_person"."erased_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "person_email_folded" CHECK(("__new_person"."email" is null) = ("__new_person"."email_folded" is null)),
	CONSTRAINT "person_created_at" CHECK("__new_person"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "person_updated_at" CHECK("__new_person"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
INSERT INTO `__new_person`("id", "name", "name_folded", "email", "email_folded", "external_id", "title", "department", "status", "erased_at", "created_at", "updated_at") SELECT "id", "name", "name_folded", "email", "email_folded", "external_id", "title", "department", "status", "erased_at", "created_at", "updated_at" FROM `person`;--> statement-breakpoint
DROP TABLE `person`;--> statement-breakpoint
ALTER TABLE `__new_person` RENAME TO `person`;--> statement-breakpoint
CREATE UNIQUE INDEX `person_email` ON `person` (`email_folded`);--> statement-breakpoint
CREATE UNIQUE INDEX `person_external_id` ON `person` (`external_id`);--> statement-breakpoint
CREATE INDEX `person_by_name` ON `person` (`name_folded`,`id`);--> statement-breakpoint
CREATE INDEX `person_by_status` ON `person` (`status`,`name_folded`,`id`);--> statement-breakpoint
CREATE TABLE `__new_project` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`search_folded` text NOT NULL,
	`description` text,
	`url` text,
	`status` text NOT NULL,
	`synced_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "project_key_text" CHECK("__new_project"."key" = trim("__new_project"."key") and length("__new_project"."key") between 1 and 50),
	CONSTRAINT "project_name_text" CHECK("__new_project"."name" = trim("__new_project"."name") and length("__new_project"."name") between 1 and 200),
	CONSTRAINT "project_description_text" CHECK("__new_project"."description" = trim("__new_project"."description") and length("__new_project"."description") between 1 and 10000),
	CONSTRAINT "project_url_text" CHECK("__new_project"."url" = trim("__new_project"."url") and length("__new_project"."url") between 1 and 2000),
	CONSTRAINT "project_key_capitals" CHECK("__new_project"."key" = upper("__new_project"."key")),
	CONSTRAINT "project_status" CHECK(("__new_project"."status" = 'ACTIVE' or "__new_project"."status" = 'ON_HOLD' or "__new_project"."status" = 'CLOSED')),
	CONSTRAINT "project_synced_at" CHECK("__new_project"."synced_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_created_at" CHECK("__new_project"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_updated_at" CHECK("__new_project"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
INSERT INTO `__new_project`("id", "key", "name", "search_folded", "description", "url", "status", "synced_at", "created_at", "updated_at") SELECT "id", "key", "name", "search_folded", "description", "url", "status", "synced_at", "created_at", "updated_at" FROM `project`;--> statement-breakpoint
DROP TABLE `project`;--> statement-breakpoint
ALTER TABLE `__new_project` RENAME TO `project`;--> statement-breakpoint
CREATE UNIQUE INDEX `project_key` ON `project` (`key`);--> statement-breakpoint
CREATE INDEX `project_by_status` ON `project` (`status`,`key`,`id`);--> statement-breakpoint
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
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`status` text NOT NULL,
	`category` text,
	`category_folded` text,
	`likelihood` integer,
	`impact` integer,
	`score` integer NOT NULL,
	`response` text,
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
	CONSTRAINT "risk_created_at" CHECK("__new_risk"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_updated_at" CHECK("__new_risk"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_category_text" CHECK("__new_risk"."category" = trim("__new_risk"."category") and length("__new_risk"."category") between 1 and 200),
	CONSTRAINT "risk_owner_name_text" CHECK("__new_risk"."owner_name" = trim("__new_risk"."owner_name") and length("__new_risk"."owner_name") between 1 and 200),
	CONSTRAINT "risk_category_folded" CHECK(("__new_risk"."category" is null) = ("__new_risk"."category_folded" is null)),
	CONSTRAINT "risk_likelihood" CHECK(("__new_risk"."likelihood" = 1 or "__new_risk"."likelihood" = 2 or "__new_risk"."likelihood" = 3 or "__new_risk"."likelihood" = 4 or "__new_risk"."likelihood" = 5)),
	CONSTRAINT "risk_impact" CHECK(("__new_risk"."impact" = 1 or "__new_risk"."impact" = 2 or "__new_risk"."impact" = 3 or "__new_risk"."impact" = 4 or "__new_risk"."impact" = 5)),
	CONSTRAINT "risk_assessed" CHECK(("__new_risk"."likelihood" is null) = ("__new_risk"."impact" is null)),
	CONSTRAINT "risk_score" CHECK("__new_risk"."score" = coalesce("__new_risk"."likelihood" * "__new_risk"."impact", 0)),
	CONSTRAINT "risk_standing" CHECK("__new_risk"."standing" = -("__new_risk"."score" * 10 + coalesce("__new_risk"."impact", 0))),
	CONSTRAINT "risk_response" CHECK(("__new_risk"."response" = 'AVOID' or "__new_risk"."response" = 'MITIGATE' or "__new_risk"."response" = 'TRANSFER' or "__new_risk"."response" = 'ACCEPT')),
	CONSTRAINT "risk_review_on" CHECK("__new_risk"."review_on" like '____-__-__')
);
--> statement-breakpoint
INSERT INTO `__new_risk`("id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "created_at", "updated_at", "status", "category", "category_folded", "likelihood", "impact", "score", "response", "owner_id", "owner_name", "review_on") SELECT "id", "project_id", "reference", "title", "search_folded", "description", "url", "raised_on", "live", "standing", "created_at", "updated_at", "status", "category", "category_folded", "likelihood", "impact", "score", "response", "owner_id", "owner_name", "review_on" FROM `risk`;--> statement-breakpoint
DROP TABLE `risk`;--> statement-breakpoint
ALTER TABLE `__new_risk` RENAME TO `risk`;--> statement-breakpoint
CREATE UNIQUE INDEX `risk_reference` ON `risk` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `risk_by_live` ON `risk` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_status` ON `risk` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_project` ON `risk` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_likelihood` ON `risk` (`likelihood`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_impact` ON `risk` (`impact`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_owner` ON `risk` (`owner_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_category` ON `risk` (`category_folded`,`live`,`standing`,`raised_on`,`id`);