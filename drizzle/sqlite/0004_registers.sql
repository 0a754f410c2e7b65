ALTER TABLE `revision` ADD `personnel` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `projects` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `history` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `keys` integer DEFAULT 1 NOT NULL;