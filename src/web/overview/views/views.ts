import type { Kind, View } from '../address.js'
import type { Content } from '../dialog.js'
import { readGroup } from './group.js'
import { readIssue } from './issue.js'
import type { Reader } from './parts.js'
import { readPerson } from './person.js'
import { readProject } from './project.js'
import { readRisk } from './risk.js'

type Read = (name: string, reader: Reader) => Promise<Content | undefined>

const READS: Readonly<Record<Kind, Read>> = {
  risk: readRisk,
  issue: readIssue,
  person: readPerson,
  project: readProject,
  group: readGroup,
}

/** Reads what a view shows; undefined if it does not exist. */
export function readView({ kind, name }: View, reader: Reader): Promise<Content | undefined> {
  return READS[kind](name, reader)
}
