ALTER TABLE "revision" ADD COLUMN "value_nonce" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "personnel_nonce" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "projects_nonce" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "history_nonce" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "keys_nonce" bigint DEFAULT 0 NOT NULL;