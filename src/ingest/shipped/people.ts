import { optional, personStatus, type ShippedMap } from './rules.js'

const entra: ShippedMap = {
  name: 'entra-json',
  noun: 'people',
  product: 'an answer of Microsoft Graph',
  reads: 'Microsoft Graph: GET /users?$select=id,displayName,mail,userPrincipalName,jobTitle,department,accountEnabled',
  source: 'objects',
  signature: [['userPrincipalName'], ['displayName'], ['id']],
  columns: {
    name: 'displayName',
    email: { from: ['mail', 'userPrincipalName'] },
    externalId: 'id',
    title: optional('jobTitle'),
    department: optional('department'),
    status: personStatus('accountEnabled'),
  },
}

const entraCsv: ShippedMap = {
  ...entra,
  name: 'entra-csv',
  product: 'an export of Microsoft Entra',
  reads: 'the CSV of Download users in the Microsoft Entra or Azure portal',
  source: 'table',
  signature: [['userPrincipalName'], ['displayName'], ['id', 'objectId', 'Object Id']],
  columns: { ...entra.columns, externalId: { from: ['id', 'objectId', 'Object Id'] } },
}

const google: ShippedMap = {
  name: 'google-csv',
  noun: 'people',
  product: 'an export of Google Workspace',
  reads: 'the CSV of Download users in the Google Admin console',
  source: 'table',
  signature: [['First Name [Required]'], ['Last Name [Required]'], ['Email Address [Required]']],
  columns: {
    name: { from: ['First Name [Required]', 'Last Name [Required]'], join: ' ' },
    email: 'Email Address [Required]',
    externalId: optional('Employee ID'),
    title: optional('Employee Title'),
    department: optional('Department'),
    status: personStatus('Status [READ ONLY]'),
  },
}

const directory: ShippedMap = {
  name: 'ad-csv',
  noun: 'people',
  product: 'an export of Active Directory',
  reads: 'Get-ADUser -Filter * -Properties EmailAddress,Title,Department,DisplayName | Export-Csv',
  source: 'table',
  signature: [['SamAccountName'], ['DistinguishedName', 'ObjectGUID', 'SID']],
  columns: {
    name: { from: ['DisplayName', 'Name', 'CN'] },
    email: optional('EmailAddress', 'mail', 'UserPrincipalName'),
    externalId: { from: ['ObjectGUID', 'SID', 'SamAccountName'] },
    title: optional('Title'),
    department: optional('Department'),
    status: personStatus('Enabled'),
  },
}

const bamboo: ShippedMap = {
  name: 'bamboohr-csv',
  noun: 'people',
  product: 'an export of BambooHR',
  reads: 'a report of BambooHR with Employee #, First Name, Last Name, Work Email, Job Title, Department and Status',
  source: 'table',
  signature: [['Employee #', 'EEID'], ['First Name'], ['Last Name'], ['Work Email'], ['Job Title']],
  columns: {
    name: { from: ['First Name', 'Last Name'], join: ' ' },
    email: 'Work Email',
    externalId: { from: ['Employee #', 'EEID'] },
    title: 'Job Title',
    department: optional('Department', 'Division'),
    status: personStatus('Status'),
  },
}

const workday: ShippedMap = {
  name: 'workday-csv',
  noun: 'people',
  product: 'a report of Workday',
  reads: 'a worker report of Workday with Employee ID, Worker, Business Title and Supervisory Organization',
  source: 'table',
  signature: [
    ['Employee ID', 'Worker ID'],
    ['Business Title'],
    ['Supervisory Organization', 'Worker Status', 'Worker'],
  ],
  columns: {
    name: { from: ['Preferred Name', 'Worker', 'Legal Name', 'Full Legal Name'] },
    email: optional('Email - Primary Work', 'Primary Work Email', 'Work Email', 'Email - Work'),
    externalId: { from: ['Employee ID', 'Worker ID'] },
    title: 'Business Title',
    department: optional('Supervisory Organization', 'Department', 'Cost Center'),
    status: personStatus('Worker Status', 'Active Status', 'Employee Status'),
  },
}

export const PEOPLE = [entra, entraCsv, google, directory, bamboo, workday]
