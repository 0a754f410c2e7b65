ALTER TABLE "revision" ADD COLUMN "personnel" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "projects" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "history" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "keys" bigint DEFAULT 1 NOT NULL;