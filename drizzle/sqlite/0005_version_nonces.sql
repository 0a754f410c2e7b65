ALTER TABLE `revision` ADD `value_nonce` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `personnel_nonce` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `projects_nonce` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `history_nonce` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `keys_nonce` integer DEFAULT 0 NOT NULL;