ALTER TABLE `revision` ADD `known` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `revision` ADD `known_nonce` integer DEFAULT 0 NOT NULL;