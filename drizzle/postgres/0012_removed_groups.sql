ALTER TABLE "membership" DROP CONSTRAINT "membership_group_id_groups_id_fk";
--> statement-breakpoint
-- Older programs report memberships of a removed group as broken references.
UPDATE revision SET least_version = '0.3.0';
