CREATE TABLE `api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text,
	`revoked_at` text,
	`last_used_at` text,
	CONSTRAINT "api_key_name_text" CHECK("api_key"."name" = trim("api_key"."name") and length("api_key"."name") between 1 and 200)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_key_hash` ON `api_key` (`hash`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`external_id` text,
	`description` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "groups_name_text" CHECK("groups"."name" = trim("groups"."name") and length("groups"."name") between 1 and 200),
	CONSTRAINT "groups_external_id_text" CHECK("groups"."external_id" = trim("groups"."external_id") and length("groups"."external_id") between 1 and 200),
	CONSTRAINT "groups_description_text" CHECK("groups"."description" = trim("groups"."description") and length("groups"."description") between 1 and 10000),
	CONSTRAINT "groups_created_at" CHECK("groups"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "groups_updated_at" CHECK("groups"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_name` ON `groups` (`name_folded`);--> statement-breakpoint
CREATE UNIQUE INDEX `groups_external_id` ON `groups` (`external_id`);--> statement-breakpoint
CREATE TABLE `issue` (
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
	CONSTRAINT "issue_reference_text" CHECK("issue"."reference" = trim("issue"."reference") and length("issue"."reference") between 1 and 100),
	CONSTRAINT "issue_title_text" CHECK("issue"."title" = trim("issue"."title") and length("issue"."title") between 1 and 500),
	CONSTRAINT "issue_description_text" CHECK("issue"."description" = trim("issue"."description") and length("issue"."description") between 1 and 10000),
	CONSTRAINT "issue_url_text" CHECK("issue"."url" = trim("issue"."url") and length("issue"."url") between 1 and 2000),
	CONSTRAINT "issue_status" CHECK("issue"."status" in ('OPEN', 'IN_PROGRESS', 'BLOCKED', 'RESOLVED', 'CLOSED')),
	CONSTRAINT "issue_live" CHECK("issue"."live" = case when "issue"."status" in ('OPEN', 'IN_PROGRESS', 'BLOCKED') then 1 else 0 end),
	CONSTRAINT "issue_raised_on" CHECK("issue"."raised_on" like '____-__-__'),
	CONSTRAINT "issue_created_at" CHECK("issue"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_updated_at" CHECK("issue"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_assignee_name_text" CHECK("issue"."assignee_name" = trim("issue"."assignee_name") and length("issue"."assignee_name") between 1 and 200),
	CONSTRAINT "issue_severity" CHECK("issue"."severity" in ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
	CONSTRAINT "issue_standing" CHECK("issue"."standing" = case "issue"."severity" when 'LOW' then 0 when 'MEDIUM' then -1 when 'HIGH' then -2 when 'CRITICAL' then -3 end),
	CONSTRAINT "issue_due_on" CHECK("issue"."due_on" like '____-__-__')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `issue_reference` ON `issue` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `issue_by_live` ON `issue` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_status` ON `issue` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_project` ON `issue` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_assignee` ON `issue` (`assignee_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `issue_by_risk` ON `issue` (`risk_id`);--> statement-breakpoint
CREATE TABLE `membership` (
	`group_id` text NOT NULL,
	`person_id` text NOT NULL,
	PRIMARY KEY(`group_id`, `person_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `membership_by_person` ON `membership` (`person_id`,`group_id`);--> statement-breakpoint
CREATE TABLE `person` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`email` text,
	`email_folded` text,
	`external_id` text,
	`title` text,
	`department` text,
	`status` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "person_name_text" CHECK("person"."name" = trim("person"."name") and length("person"."name") between 1 and 200),
	CONSTRAINT "person_email_text" CHECK("person"."email" = trim("person"."email") and length("person"."email") between 1 and 254),
	CONSTRAINT "person_external_id_text" CHECK("person"."external_id" = trim("person"."external_id") and length("person"."external_id") between 1 and 200),
	CONSTRAINT "person_title_text" CHECK("person"."title" = trim("person"."title") and length("person"."title") between 1 and 200),
	CONSTRAINT "person_department_text" CHECK("person"."department" = trim("person"."department") and length("person"."department") between 1 and 200),
	CONSTRAINT "person_status" CHECK("person"."status" in ('ACTIVE', 'INACTIVE')),
	CONSTRAINT "person_reachable" CHECK("person"."email" is not null or "person"."external_id" is not null),
	CONSTRAINT "person_email_folded" CHECK(("person"."email" is null) = ("person"."email_folded" is null)),
	CONSTRAINT "person_created_at" CHECK("person"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "person_updated_at" CHECK("person"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_email` ON `person` (`email_folded`);--> statement-breakpoint
CREATE UNIQUE INDEX `person_external_id` ON `person` (`external_id`);--> statement-breakpoint
CREATE INDEX `person_by_name` ON `person` (`name_folded`,`id`);--> statement-breakpoint
CREATE INDEX `person_by_status` ON `person` (`status`,`name_folded`,`id`);--> statement-breakpoint
CREATE TABLE `project` (
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
	CONSTRAINT "project_key_text" CHECK("project"."key" = trim("project"."key") and length("project"."key") between 1 and 50),
	CONSTRAINT "project_name_text" CHECK("project"."name" = trim("project"."name") and length("project"."name") between 1 and 200),
	CONSTRAINT "project_description_text" CHECK("project"."description" = trim("project"."description") and length("project"."description") between 1 and 10000),
	CONSTRAINT "project_url_text" CHECK("project"."url" = trim("project"."url") and length("project"."url") between 1 and 2000),
	CONSTRAINT "project_key_capitals" CHECK("project"."key" = upper("project"."key")),
	CONSTRAINT "project_status" CHECK("project"."status" in ('ACTIVE', 'ON_HOLD', 'CLOSED')),
	CONSTRAINT "project_synced_at" CHECK("project"."synced_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_created_at" CHECK("project"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_updated_at" CHECK("project"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_key` ON `project` (`key`);--> statement-breakpoint
CREATE INDEX `project_by_status` ON `project` (`status`,`key`,`id`);--> statement-breakpoint
CREATE TABLE `revision` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` integer NOT NULL,
	CONSTRAINT "revision_only" CHECK("revision"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `risk` (
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
	CONSTRAINT "risk_reference_text" CHECK("risk"."reference" = trim("risk"."reference") and length("risk"."reference") between 1 and 100),
	CONSTRAINT "risk_title_text" CHECK("risk"."title" = trim("risk"."title") and length("risk"."title") between 1 and 500),
	CONSTRAINT "risk_description_text" CHECK("risk"."description" = trim("risk"."description") and length("risk"."description") between 1 and 10000),
	CONSTRAINT "risk_url_text" CHECK("risk"."url" = trim("risk"."url") and length("risk"."url") between 1 and 2000),
	CONSTRAINT "risk_status" CHECK("risk"."status" in ('OPEN', 'OCCURRED', 'CLOSED')),
	CONSTRAINT "risk_live" CHECK("risk"."live" = case when "risk"."status" in ('OPEN', 'OCCURRED') then 1 else 0 end),
	CONSTRAINT "risk_raised_on" CHECK("risk"."raised_on" like '____-__-__'),
	CONSTRAINT "risk_created_at" CHECK("risk"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_updated_at" CHECK("risk"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_category_text" CHECK("risk"."category" = trim("risk"."category") and length("risk"."category") between 1 and 200),
	CONSTRAINT "risk_owner_name_text" CHECK("risk"."owner_name" = trim("risk"."owner_name") and length("risk"."owner_name") between 1 and 200),
	CONSTRAINT "risk_category_folded" CHECK(("risk"."category" is null) = ("risk"."category_folded" is null)),
	CONSTRAINT "risk_likelihood" CHECK("risk"."likelihood" in (1, 2, 3, 4, 5)),
	CONSTRAINT "risk_impact" CHECK("risk"."impact" in (1, 2, 3, 4, 5)),
	CONSTRAINT "risk_assessed" CHECK(("risk"."likelihood" is null) = ("risk"."impact" is null)),
	CONSTRAINT "risk_score" CHECK("risk"."score" = coalesce("risk"."likelihood" * "risk"."impact", 0)),
	CONSTRAINT "risk_standing" CHECK("risk"."standing" = -("risk"."score" * 10 + coalesce("risk"."impact", 0))),
	CONSTRAINT "risk_response" CHECK("risk"."response" in ('AVOID', 'MITIGATE', 'TRANSFER', 'ACCEPT')),
	CONSTRAINT "risk_review_on" CHECK("risk"."review_on" like '____-__-__')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `risk_reference` ON `risk` (`project_id`,`reference`);--> statement-breakpoint
CREATE INDEX `risk_by_live` ON `risk` (`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_status` ON `risk` (`status`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_project` ON `risk` (`project_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_likelihood` ON `risk` (`likelihood`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_impact` ON `risk` (`impact`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_owner` ON `risk` (`owner_id`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE INDEX `risk_by_category` ON `risk` (`category_folded`,`live`,`standing`,`raised_on`,`id`);--> statement-breakpoint
CREATE TABLE `risk_tally` (
	`score` integer PRIMARY KEY NOT NULL,
	`live` integer NOT NULL,
	CONSTRAINT "risk_tally_live" CHECK("risk_tally"."live" >= 0)
);
