ALTER TABLE `change` ADD `project_id` text;--> statement-breakpoint
ALTER TABLE `change` ADD `nonce` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `change` SET `nonce` = 1 + (random() & 140737488355327), `project_id` = CASE `entity`
	WHEN 'PROJECT' THEN `entity_id`
	WHEN 'RISK' THEN (SELECT `project_id` FROM `risk` WHERE `id` = `entity_id`)
	WHEN 'ISSUE' THEN (SELECT `project_id` FROM `issue` WHERE `id` = `entity_id`)
END;--> statement-breakpoint
CREATE INDEX `change_by_kind` ON `change` (`entity`,`id`);--> statement-breakpoint
CREATE INDEX `change_by_project` ON `change` (`project_id`,`entity`,`id`);