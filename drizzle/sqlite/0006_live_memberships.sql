ALTER TABLE `membership` ADD `live` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
UPDATE `membership` SET `live` = 0 WHERE `person_id` IN (SELECT `id` FROM `person` WHERE `status` <> 'ACTIVE');--> statement-breakpoint
CREATE INDEX `membership_by_live` ON `membership` (`group_id`,`live`);