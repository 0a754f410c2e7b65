CREATE TABLE "import_run" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"noun" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"file" text collate "C",
	"sha256" text collate "C",
	"written_by" text collate "C" NOT NULL,
	"operator" text collate "C",
	"created" integer NOT NULL,
	"updated" integer NOT NULL,
	"unchanged" integer NOT NULL,
	"closed" integer NOT NULL,
	"undoes" text collate "C",
	CONSTRAINT "import_run_kind" CHECK (("import_run"."kind" = 'IMPORT' or "import_run"."kind" = 'SYNC' or "import_run"."kind" = 'UNDO' or "import_run"."kind" = 'MERGE')),
	CONSTRAINT "import_run_at" CHECK ("import_run"."at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE TABLE "source_map" (
	"source" text collate "C" NOT NULL,
	"noun" text collate "C" NOT NULL,
	"map" text collate "C" NOT NULL,
	"headings" text collate "C" NOT NULL,
	"accepted_at" text collate "C" NOT NULL,
	CONSTRAINT "source_map_source_noun_pk" PRIMARY KEY("source","noun"),
	CONSTRAINT "source_map_accepted_at" CHECK ("source_map"."accepted_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
ALTER TABLE "change" DROP CONSTRAINT "change_action";--> statement-breakpoint
ALTER TABLE "change" ADD COLUMN "import_id" text collate "C";--> statement-breakpoint
ALTER TABLE "person" ADD COLUMN "merged_into" text collate "C";--> statement-breakpoint
CREATE INDEX "import_run_by_source" ON "import_run" USING btree ("source","noun","id");--> statement-breakpoint
ALTER TABLE "change" ADD CONSTRAINT "change_action" CHECK (("change"."action" = 'CREATED' or "change"."action" = 'UPDATED' or "change"."action" = 'CLOSED' or "change"."action" = 'ERASED' or "change"."action" = 'REMOVED'));--> statement-breakpoint
-- Older programs know no group that is removed, and do not say which import made a change.
UPDATE revision SET least_version = '0.2.0';
