PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_membership` (
	`group_id` text NOT NULL,
	`person_id` text NOT NULL,
	`live` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`group_id`, `person_id`),
	FOREIGN KEY (`person_id`) REFERENCES `person`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_membership`("group_id", "person_id", "live") SELECT "group_id", "person_id", "live" FROM `membership`;--> statement-breakpoint
DROP TABLE `membership`;--> statement-breakpoint
ALTER TABLE `__new_membership` RENAME TO `membership`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `membership_by_person` ON `membership` (`person_id`,`group_id`);--> statement-breakpoint
CREATE INDEX `membership_by_live` ON `membership` (`group_id`,`live`);--> statement-breakpoint
-- Older programs report memberships of a removed group as broken references.
UPDATE revision SET least_version = '0.3.0';
