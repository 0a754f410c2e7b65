/** Queries as users type them first: without page sizes or tuning. */
export const FIRST_QUERIES: Readonly<Record<string, string>> = {
  'the groups with their members': '{ groups { nodes { name members { nodes { name } } } } }',
  'the same with all that is known of them': `{
    groups {
      nodes {
        id name externalId description memberCount createdAt updatedAt
        members { totalCount nodes { id name email externalId title department status createdAt updatedAt } }
      }
    }
  }`,
  'the projects with their risks, the owners of those, and their issues': `{
    projects {
      nodes {
        id key name status openRiskCount openIssueCount topRiskScore
        risks { totalCount nodes { id reference title score level rank status dueOn: reviewOn owner { id name email } } }
        issues { totalCount nodes { id reference title severity status dueOn assignee { id name email } } }
      }
    }
  }`,
  'a dashboard': `{
    risks(first: 10) { nodes { reference title score level rank project { key name } owner { name } } totalCount }
    issues { nodes { reference title severity status dueOn project { key name } assignee { name } } totalCount }
    projects { nodes { key name status openRiskCount openIssueCount topRiskScore } }
    groups { nodes { name memberCount } }
  }`,
  'a person with their groups, the risks that they own and the issues that are assigned to them': `query ($id: ID!) {
    person(id: $id) {
      name email title groups { name }
      risks { totalCount nodes { reference title score level project { key } } }
      issues { totalCount nodes { reference title severity status project { key } } }
    }
  }`,
  'everyone with the same': `{
    personnel {
      nodes { name email groups { name } risks { nodes { reference title } } issues { nodes { reference title } } }
    }
  }`,
  'the risks with their project, their owner and the issues that came from them': `{
    risks {
      nodes {
        reference title score level status
        project { key name } owner { name email } issues { nodes { reference title severity status } }
      }
    }
  }`,
}
