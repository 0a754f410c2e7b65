CREATE TABLE "api_key" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text collate "C" NOT NULL,
	"prefix" text collate "C" NOT NULL,
	"hash" text collate "C" NOT NULL,
	"scopes" text collate "C" NOT NULL,
	"projects" text collate "C",
	"created_at" text collate "C" NOT NULL,
	"expires_at" text collate "C",
	"revoked_at" text collate "C",
	"last_used_at" text collate "C",
	CONSTRAINT "api_key_name_text" CHECK ("api_key"."name" = trim("api_key"."name") and length("api_key"."name") between 1 and 200)
);
--> statement-breakpoint
CREATE TABLE "change" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"recorded_at" text collate "C" NOT NULL,
	"effective_on" text collate "C" NOT NULL,
	"written_by" text collate "C" NOT NULL,
	"action" text collate "C" NOT NULL,
	"entity" text collate "C" NOT NULL,
	"entity_id" text collate "C" NOT NULL,
	"fields" text collate "C" NOT NULL,
	CONSTRAINT "change_recorded_at" CHECK ("change"."recorded_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "change_effective_on" CHECK ("change"."effective_on" like '____-__-__'),
	CONSTRAINT "change_action" CHECK (("change"."action" = 'CREATED' or "change"."action" = 'UPDATED' or "change"."action" = 'CLOSED' or "change"."action" = 'ERASED')),
	CONSTRAINT "change_entity" CHECK (("change"."entity" = 'PERSON' or "change"."entity" = 'GROUP' or "change"."entity" = 'PROJECT' or "change"."entity" = 'RISK' or "change"."entity" = 'ISSUE'))
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text collate "C" NOT NULL,
	"name_folded" text collate "C" NOT NULL,
	"external_id" text collate "C",
	"description" text collate "C",
	"created_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "groups_name_text" CHECK ("groups"."name" = trim("groups"."name") and length("groups"."name") between 1 and 200),
	CONSTRAINT "groups_external_id_text" CHECK ("groups"."external_id" = trim("groups"."external_id") and length("groups"."external_id") between 1 and 200),
	CONSTRAINT "groups_description_text" CHECK ("groups"."description" = trim("groups"."description") and length("groups"."description") between 1 and 10000),
	CONSTRAINT "groups_created_at" CHECK ("groups"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "groups_updated_at" CHECK ("groups"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE TABLE "issue" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"reference" text collate "C" NOT NULL,
	"title" text collate "C" NOT NULL,
	"search_folded" text collate "C" NOT NULL,
	"description" text collate "C",
	"url" text collate "C",
	"raised_on" text collate "C" NOT NULL,
	"live" integer NOT NULL,
	"standing" integer NOT NULL,
	"created_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"severity" text collate "C" NOT NULL,
	"assignee_id" text collate "C",
	"assignee_name" text collate "C",
	"risk_id" text collate "C",
	"due_on" text collate "C",
	CONSTRAINT "issue_reference_text" CHECK ("issue"."reference" = trim("issue"."reference") and length("issue"."reference") between 1 and 100),
	CONSTRAINT "issue_title_text" CHECK ("issue"."title" = trim("issue"."title") and length("issue"."title") between 1 and 500),
	CONSTRAINT "issue_description_text" CHECK ("issue"."description" = trim("issue"."description") and length("issue"."description") between 1 and 10000),
	CONSTRAINT "issue_url_text" CHECK ("issue"."url" = trim("issue"."url") and length("issue"."url") between 1 and 2000),
	CONSTRAINT "issue_status" CHECK (("issue"."status" = 'OPEN' or "issue"."status" = 'IN_PROGRESS' or "issue"."status" = 'BLOCKED' or "issue"."status" = 'RESOLVED' or "issue"."status" = 'CLOSED')),
	CONSTRAINT "issue_live" CHECK ("issue"."live" = case when ("issue"."status" = 'OPEN' or "issue"."status" = 'IN_PROGRESS' or "issue"."status" = 'BLOCKED') then 1 else 0 end),
	CONSTRAINT "issue_raised_on" CHECK ("issue"."raised_on" like '____-__-__'),
	CONSTRAINT "issue_created_at" CHECK ("issue"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_updated_at" CHECK ("issue"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "issue_assignee_name_text" CHECK ("issue"."assignee_name" = trim("issue"."assignee_name") and length("issue"."assignee_name") between 1 and 200),
	CONSTRAINT "issue_severity" CHECK (("issue"."severity" = 'LOW' or "issue"."severity" = 'MEDIUM' or "issue"."severity" = 'HIGH' or "issue"."severity" = 'CRITICAL')),
	CONSTRAINT "issue_standing" CHECK ("issue"."standing" = case "issue"."severity" when 'LOW' then 0 when 'MEDIUM' then -1 when 'HIGH' then -2 when 'CRITICAL' then -3 end),
	CONSTRAINT "issue_due_on" CHECK ("issue"."due_on" like '____-__-__')
);
--> statement-breakpoint
CREATE TABLE "kept_answer" (
	"key_id" text collate "C" NOT NULL,
	"token" text collate "C" NOT NULL,
	"fingerprint" text collate "C" NOT NULL,
	"answer" text collate "C" NOT NULL,
	"created_at" text collate "C" NOT NULL,
	CONSTRAINT "kept_answer_key_id_token_pk" PRIMARY KEY("key_id","token"),
	CONSTRAINT "kept_answer_created_at" CHECK ("kept_answer"."created_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE TABLE "membership" (
	"group_id" text collate "C" NOT NULL,
	"person_id" text collate "C" NOT NULL,
	CONSTRAINT "membership_group_id_person_id_pk" PRIMARY KEY("group_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "person" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text collate "C" NOT NULL,
	"name_folded" text collate "C" NOT NULL,
	"email" text collate "C",
	"email_folded" text collate "C",
	"external_id" text collate "C",
	"title" text collate "C",
	"department" text collate "C",
	"status" text collate "C" NOT NULL,
	"erased_at" text collate "C",
	"created_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "person_name_text" CHECK ("person"."name" = trim("person"."name") and length("person"."name") between 1 and 200),
	CONSTRAINT "person_email_text" CHECK ("person"."email" = trim("person"."email") and length("person"."email") between 1 and 254),
	CONSTRAINT "person_external_id_text" CHECK ("person"."external_id" = trim("person"."external_id") and length("person"."external_id") between 1 and 200),
	CONSTRAINT "person_title_text" CHECK ("person"."title" = trim("person"."title") and length("person"."title") between 1 and 200),
	CONSTRAINT "person_department_text" CHECK ("person"."department" = trim("person"."department") and length("person"."department") between 1 and 200),
	CONSTRAINT "person_status" CHECK (("person"."status" = 'ACTIVE' or "person"."status" = 'INACTIVE')),
	CONSTRAINT "person_reachable" CHECK (coalesce("person"."email", "person"."external_id", "person"."erased_at") is not null),
	CONSTRAINT "person_erased_at" CHECK ("person"."erased_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "person_email_folded" CHECK (("person"."email" is null) = ("person"."email_folded" is null)),
	CONSTRAINT "person_created_at" CHECK ("person"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "person_updated_at" CHECK ("person"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE TABLE "project" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"key" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"search_folded" text collate "C" NOT NULL,
	"description" text collate "C",
	"url" text collate "C",
	"status" text collate "C" NOT NULL,
	"synced_at" text collate "C",
	"created_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	CONSTRAINT "project_key_text" CHECK ("project"."key" = trim("project"."key") and length("project"."key") between 1 and 50),
	CONSTRAINT "project_name_text" CHECK ("project"."name" = trim("project"."name") and length("project"."name") between 1 and 200),
	CONSTRAINT "project_description_text" CHECK ("project"."description" = trim("project"."description") and length("project"."description") between 1 and 10000),
	CONSTRAINT "project_url_text" CHECK ("project"."url" = trim("project"."url") and length("project"."url") between 1 and 2000),
	CONSTRAINT "project_key_capitals" CHECK ("project"."key" = upper("project"."key")),
	CONSTRAINT "project_status" CHECK (("project"."status" = 'ACTIVE' or "project"."status" = 'ON_HOLD' or "project"."status" = 'CLOSED')),
	CONSTRAINT "project_synced_at" CHECK ("project"."synced_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_created_at" CHECK ("project"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "project_updated_at" CHECK ("project"."updated_at" like '____-__-__T__:__:__.___Z')
);
--> statement-breakpoint
CREATE TABLE "revision" (
	"id" integer PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "revision_only" CHECK ("revision"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "risk" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"project_id" text collate "C" NOT NULL,
	"reference" text collate "C" NOT NULL,
	"title" text collate "C" NOT NULL,
	"search_folded" text collate "C" NOT NULL,
	"description" text collate "C",
	"url" text collate "C",
	"raised_on" text collate "C" NOT NULL,
	"live" integer NOT NULL,
	"standing" integer NOT NULL,
	"created_at" text collate "C" NOT NULL,
	"updated_at" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"category" text collate "C",
	"category_folded" text collate "C",
	"likelihood" integer,
	"impact" integer,
	"score" integer NOT NULL,
	"response" text collate "C",
	"owner_id" text collate "C",
	"owner_name" text collate "C",
	"review_on" text collate "C",
	CONSTRAINT "risk_reference_text" CHECK ("risk"."reference" = trim("risk"."reference") and length("risk"."reference") between 1 and 100),
	CONSTRAINT "risk_title_text" CHECK ("risk"."title" = trim("risk"."title") and length("risk"."title") between 1 and 500),
	CONSTRAINT "risk_description_text" CHECK ("risk"."description" = trim("risk"."description") and length("risk"."description") between 1 and 10000),
	CONSTRAINT "risk_url_text" CHECK ("risk"."url" = trim("risk"."url") and length("risk"."url") between 1 and 2000),
	CONSTRAINT "risk_status" CHECK (("risk"."status" = 'OPEN' or "risk"."status" = 'OCCURRED' or "risk"."status" = 'CLOSED')),
	CONSTRAINT "risk_live" CHECK ("risk"."live" = case when ("risk"."status" = 'OPEN' or "risk"."status" = 'OCCURRED') then 1 else 0 end),
	CONSTRAINT "risk_raised_on" CHECK ("risk"."raised_on" like '____-__-__'),
	CONSTRAINT "risk_created_at" CHECK ("risk"."created_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_updated_at" CHECK ("risk"."updated_at" like '____-__-__T__:__:__.___Z'),
	CONSTRAINT "risk_category_text" CHECK ("risk"."category" = trim("risk"."category") and length("risk"."category") between 1 and 200),
	CONSTRAINT "risk_owner_name_text" CHECK ("risk"."owner_name" = trim("risk"."owner_name") and length("risk"."owner_name") between 1 and 200),
	CONSTRAINT "risk_category_folded" CHECK (("risk"."category" is null) = ("risk"."category_folded" is null)),
	CONSTRAINT "risk_likelihood" CHECK (("risk"."likelihood" = 1 or "risk"."likelihood" = 2 or "risk"."likelihood" = 3 or "risk"."likelihood" = 4 or "risk"."likelihood" = 5)),
	CONSTRAINT "risk_impact" CHECK (("risk"."impact" = 1 or "risk"."impact" = 2 or "risk"."impact" = 3 or "risk"."impact" = 4 or "risk"."impact" = 5)),
	CONSTRAINT "risk_assessed" CHECK (("risk"."likelihood" is null) = ("risk"."impact" is null)),
	CONSTRAINT "risk_score" CHECK ("risk"."score" = coalesce("risk"."likelihood" * "risk"."impact", 0)),
	CONSTRAINT "risk_standing" CHECK ("risk"."standing" = -("risk"."score" * 10 + coalesce("risk"."impact", 0))),
	CONSTRAINT "risk_response" CHECK (("risk"."response" = 'AVOID' or "risk"."response" = 'MITIGATE' or "risk"."response" = 'TRANSFER' or "risk"."response" = 'ACCEPT')),
	CONSTRAINT "risk_review_on" CHECK ("risk"."review_on" like '____-__-__')
);
--> statement-breakpoint
CREATE TABLE "risk_tally" (
	"score" integer PRIMARY KEY NOT NULL,
	"live" integer NOT NULL,
	CONSTRAINT "risk_tally_live" CHECK ("risk_tally"."live" >= 0)
);
--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_project_id_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."project"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_assignee_id_person_id_fk" FOREIGN KEY ("assignee_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_risk_id_risk_id_fk" FOREIGN KEY ("risk_id") REFERENCES "public"."risk"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership" ADD CONSTRAINT "membership_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership" ADD CONSTRAINT "membership_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_project_id_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."project"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "risk" ADD CONSTRAINT "risk_owner_id_person_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_key_hash" ON "api_key" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "change_by_entity" ON "change" USING btree ("entity_id","id");--> statement-breakpoint
CREATE INDEX "change_by_time" ON "change" USING btree ("recorded_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_name" ON "groups" USING btree ("name_folded");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_external_id" ON "groups" USING btree ("external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "issue_reference" ON "issue" USING btree ("project_id","reference");--> statement-breakpoint
CREATE INDEX "issue_by_live" ON "issue" USING btree ("live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "issue_by_status" ON "issue" USING btree ("status","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "issue_by_project" ON "issue" USING btree ("project_id","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "issue_by_assignee" ON "issue" USING btree ("assignee_id","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "issue_by_risk" ON "issue" USING btree ("risk_id");--> statement-breakpoint
CREATE INDEX "kept_answer_by_age" ON "kept_answer" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "membership_by_person" ON "membership" USING btree ("person_id","group_id");--> statement-breakpoint
CREATE UNIQUE INDEX "person_email" ON "person" USING btree ("email_folded");--> statement-breakpoint
CREATE UNIQUE INDEX "person_external_id" ON "person" USING btree ("external_id");--> statement-breakpoint
CREATE INDEX "person_by_name" ON "person" USING btree ("name_folded","id");--> statement-breakpoint
CREATE INDEX "person_by_status" ON "person" USING btree ("status","name_folded","id");--> statement-breakpoint
CREATE UNIQUE INDEX "project_key" ON "project" USING btree ("key");--> statement-breakpoint
CREATE INDEX "project_by_status" ON "project" USING btree ("status","key","id");--> statement-breakpoint
CREATE UNIQUE INDEX "risk_reference" ON "risk" USING btree ("project_id","reference");--> statement-breakpoint
CREATE INDEX "risk_by_live" ON "risk" USING btree ("live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_status" ON "risk" USING btree ("status","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_project" ON "risk" USING btree ("project_id","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_likelihood" ON "risk" USING btree ("likelihood","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_impact" ON "risk" USING btree ("impact","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_owner" ON "risk" USING btree ("owner_id","live","standing","raised_on","id");--> statement-breakpoint
CREATE INDEX "risk_by_category" ON "risk" USING btree ("category_folded","live","standing","raised_on","id");