import { TEXT_MAX } from '../../vocabulary.js'
import type { ShippedMap } from './map.js'
import { isoDay, localDay, optional, severity, status, text } from './words.js'

const KEY = [
  ...['Issue key', 'Work item key', 'Vorgangsschlüssel', 'Clé de ticket', 'Clave de incidencia'],
  ...['Chave da item', 'Chave do item', 'Klucz zgłoszenia'],
]
const PROJECT = ['Project key', 'Projektschlüssel', 'Clé de projet', 'Clave del proyecto', 'Klucz projektu']
const SUMMARY = ['Summary', 'Zusammenfassung', 'Résumé', 'Resumen', 'Resumo', 'Podsumowanie']

const DESCRIPTION = TEXT_MAX.description
const HEADLINE = TEXT_MAX.headline

/** Jira's CSV: its headings are in the language of the user. */
const csv: ShippedMap = {
  name: 'jira-csv',
  noun: 'issues',
  product: 'a Jira export',
  reads: 'the CSV export of Jira (all or current fields), in English, German, French, Spanish, Portuguese or Polish',
  source: 'table',
  signature: [KEY, SUMMARY],
  columns: {
    // An export of the current fields has the key of the issue alone.
    project: { from: [...PROJECT, ...KEY], before: '-' },
    reference: { from: KEY },
    title: text(HEADLINE, ...SUMMARY),
    description: {
      ...text(DESCRIPTION, 'Description', 'Beschreibung', 'Descripción', 'Descrição', 'Opis'),
      optional: true,
    },
    severity: severity('Priority', 'Priorität', 'Priorité', 'Prioridad', 'Prioridade', 'Priorytet'),
    status: status(
      ...['Status', 'État', 'Estado'],
      ...['Status Category', 'Statuskategorie', "Catégorie d'état", 'Categoría de estado'],
    ),
    assignee: optional(
      ...[
        'Assignee',
        'Zugewiesene Person',
        'Bearbeiter',
        'Personne assignée',
        'Responsable',
        'Persona asignada',
        'Responsável',
      ],
    ),
    raisedOn: localDay('Created', 'Erstellt', 'Création', 'Créée', 'Creada', 'Creado', 'Criado', 'Utworzono'),
    dueOn: localDay('Due date', 'Fälligkeitsdatum', "Date d'échéance", 'Fecha de vencimiento', 'Data limite', 'Termin'),
  },
}

const rest: ShippedMap = {
  name: 'jira-json',
  noun: 'issues',
  product: "an answer of Jira's REST API",
  reads: "Jira's REST API, version 2 or 3: GET /rest/api/3/search/jql",
  source: 'objects',
  signature: [['key'], ['fields.summary'], ['fields.status', 'fields.issuetype']],
  columns: {
    project: { from: ['fields.project.key', 'key'], before: '-' },
    reference: 'key',
    title: text(HEADLINE, 'fields.summary'),
    description: { ...text(DESCRIPTION, 'fields.description'), optional: true },
    severity: severity('fields.priority.name'),
    status: status('fields.status.name', 'fields.status.statusCategory.key', 'fields.status.statusCategory.name'),
    assignee: optional('fields.assignee.emailAddress', 'fields.assignee.displayName'),
    assigneeName: optional('fields.assignee.displayName'),
    raisedOn: isoDay('fields.created'),
    dueOn: isoDay('fields.duedate'),
  },
}

export const JIRA = [csv, rest]
