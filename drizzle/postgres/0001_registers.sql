ALTER TABLE "revision" ADD COLUMN "personnel" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "projects" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "history" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "keys" bigint DEFAULT 0 NOT NULL;