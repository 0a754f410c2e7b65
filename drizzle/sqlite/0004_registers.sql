ALTER TABLE `revision` ADD `personnel` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `projects` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `history` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `keys` integer DEFAULT 0 NOT NULL;