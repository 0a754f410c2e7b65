CREATE TABLE `kept_answer` (
	`key_id` text NOT NULL,
	`token` text NOT NULL,
	`fingerprint` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`key_id`, `token`),
	CONSTRAINT "kept_answer_created_at" CHECK("kept_answer"."created_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE INDEX `kept_answer_by_age` ON `kept_answer` (`created_at`);