CREATE TABLE `change` (
	`id` integer PRIMARY KEY NOT NULL,
	`recorded_at` text NOT NULL,
	`effective_on` text NOT NULL,
	`written_by` text NOT NULL,
	`action` text NOT NULL,
	`entity` text NOT NULL,
	`entity_id` text NOT NULL,
	`fields` text NOT NULL,
	CONSTRAINT "change_recorded_at" CHECK("change"."recorded_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "change_effective_on" CHECK("change"."effective_on" like '____-__-__'),
	CONSTRAINT "change_action" CHECK(("change"."action" = 'CREATED' or "change"."action" = 'UPDATED' or "change"."action" = 'CLOSED' or "change"."action" = 'ERASED')),
	CONSTRAINT "change_entity" CHECK(("change"."entity" = 'PERSON' or "change"."entity" = 'GROUP' or "change"."entity" = 'PROJECT' or "change"."entity" = 'RISK' or "change"."entity" = 'ISSUE'))
);
--> statement-breakpoint
CREATE INDEX `change_by_entity` ON `change` (`entity_id`,`id`);--> statement-breakpoint
CREATE INDEX `change_by_time` ON `change` (`recorded_at`,`id`);--> statement-breakpoint
ALTER TABLE `api_key` ADD `projects` text;--> statement-breakpoint
ALTER TABLE `person` ADD `erased_at` text;