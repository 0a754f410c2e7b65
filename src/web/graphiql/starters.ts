/** What a tab of GraphiQL starts with. */
export interface Starter {
  readonly query: string
  readonly variables?: string
}

const TOP_RISKS = `# Your API key goes into "Headers", below.
# "Docs", top left, lists all types and fields.

query TopRisks {
  risks(first: 5) {
    totalCount
    nodes {
      rank
      score
      level
      title
      project { key name }
      owner { name email }
    }
  }
}
`

const GROUPS = `query GroupsWithMembers {
  groups(first: 10) {
    totalCount
    nodes {
      name
      description
      memberCount
      members(first: 10) {
        nodes { name title email }
      }
    }
  }
}
`

const DASHBOARD = `# All of it is read at the same instant.

query Dashboard {
  riskMatrix {
    cells { likelihood impact count }
    unassessed
    levels { level count }
  }
  issueCounts {
    total
    severities { severity count }
  }
  projects(first: 10) {
    nodes { key name topRiskScore openRiskCount openIssueCount syncedAt }
  }
}
`

const PERSON = `# The first person that "search" finds: change it below, in "Variables".

query PersonWithRisksAndIssues($search: String) {
  personnel(first: 1, filter: { search: $search }) {
    nodes {
      name
      email
      groups { name }
      risks(first: 5) {
        totalCount
        nodes { reference title score level project { key } }
      }
      issues(first: 5) {
        totalCount
        nodes { reference title severity status dueOn project { key } }
      }
    }
  }
}
`

const MOVED = `query WhatMoved($since: DateTime!) {
  movements(since: $since) {
    risks {
      movement
      title
      scoreFrom
      scoreTo
      rankFrom
      rankTo
      project { key }
    }
    issues {
      movement
      title
      severityFrom
      severityTo
      project { key }
    }
  }
}
`

const MONTH_MS = 30 * 24 * 60 * 60 * 1000

export function starters(now: Date): readonly Starter[] {
  const since = new Date(now.getTime() - MONTH_MS).toISOString()
  return [
    { query: TOP_RISKS },
    { query: GROUPS },
    { query: DASHBOARD },
    { query: PERSON, variables: JSON.stringify({ search: 'Leila' }, null, 2) },
    { query: MOVED, variables: JSON.stringify({ since }, null, 2) },
  ]
}
