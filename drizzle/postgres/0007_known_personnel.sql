ALTER TABLE "revision" ADD COLUMN "known" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "revision" ADD COLUMN "known_nonce" bigint DEFAULT 0 NOT NULL;