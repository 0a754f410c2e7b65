import type { NounPlural } from '../../../vocabulary.js'

/** What risks and issues have in common. */
const ENTRY = {
  raisedOn:
    'Date Raised, Raised On, Raised Date, Raised, Date Identified, Identified On, Identified Date, Date of Identification, Created, Created At, Created On, Created Date, Date Created, Creation Date, Erstelldatum, Opened, Opened At, Opened On, Date Opened, Opened Date, Date Reported, Report Date, Reported On, Date Logged, Logged Date, Logged, Date, Erfasst am, Erfasst, Erstellt am, Erstellt, Angelegt, Erstellungsdatum, Erfassungsdatum, Datum, 识别日期',
  dueOn:
    'Due Date, Due On, Due, Target Date, Target Completion Date, Target Resolution Date, Deadline, Completion Date, ETA, Fällig am, Fällig bis, Fällig, Fälligkeit, Fälligkeitsdatum, Termin, Frist, Zieltermin, Zieldatum, Zu erledigen bis, Échéance, Termin realizacji',
  closedOn:
    'Date Closed, Closed On, Closed Date, Closed At, Closed, Closing Date, Close Date, Closure Date, Date of Closure, Actual Close Date, Actual Closure Date, Completed At, Completed On, Date Completed, Completed Date, Resolved, Resolved At, Resolved On, Date Resolved, Resolved Date, Resolution Date, Actual Completion Date, Actual Resolution Date, Geschlossen am, Erledigt am, Abgeschlossen am',
  project:
    'Project Key, Project Code, Project ID, Project, Project Name, Projekt, Projektschlüssel, Projektnummer, Projektname, Programme, Program',
  url: 'URL, Link, Hyperlink, Website',
  raidType: 'Type, RAID Type, RAID Category, Item Type, RAID, Kind, Typ, Art',
}

// What people call the columns of each noun, the better name first: where a sheet has two, the first is taken. Case,
// accents, punctuation, the noun itself (Risk Owner) and small words (Date of review) do not count.
export const ALIASES: Readonly<Partial<Record<NounPlural, Readonly<Record<string, string>>>>> = {
  risks: {
    reference:
      'ID, Identifier, Reference, Ref, Ref No, Number, No, Num, Key, Code, #, Item, RAID ID, UID, Nr, Nummer, Lfd Nr, Kennung, Risikonummer, Referenz, N°, Lp, 编号',
    title:
      'Title, Name, Risk Title, Risk Name, Summary, Short Description, Risk Summary, Headline, Subject, Risk Event, Event, Risk, Risks, Risk Statement, Topic, Finding, Hazard, Issue, Problem, Concern, Titel, Bezeichnung, Risikobezeichnung, Risikotitel, Kurzbeschreibung, Risiko, Risiken, Thema, Risque, Riesgo, Risco, Nazwa ryzyka, Scenario, Szenario, Risk Description, Description of Risk, Description, Details, Risikobeschreibung, Beschreibung, 风险描述, Threat, Vulnerability, Bedrohung, Item, Risk Category, Category, Kategorie',
    description:
      'Description, Risk Description, Description of Risk, Details, Detail, Explanation, Scenario, Risk Statement, Beschreibung, Risikobeschreibung, Erläuterung, Szenario, 风险描述',
    category:
      'Category, Risk Category, Type, Class, Classification, Area, Domain, Theme, Kategorie, Risikokategorie, Risikoart, Typ, Art, Bereich, Klasse, Section',
    likelihood:
      'Likelihood, Probability, Likelihood Score, Likelihood Rating, Likelihood Level, Probability Level, Chance, Frequency, Occurrence, Prob, L, P, Possibility, Eintrittswahrscheinlichkeit, Wahrscheinlichkeit, EW, W, Häufigkeit, Probabilité, Probabilidad, Probabilidade, Prawdopodobieństwo, 可能性',
    impact:
      'Impact, Consequence, Impact Score, Impact Rating, Impact Level, IMP, I, C, Severity, Effect, Damage, Auswirkung, Auswirkungen, Schadenshöhe, Schadensausmaß, Schaden, Tragweite, Schwere, Schweregrad, Gravité, Impacto, Wpływ, 影响程度',
    score: 'Risk Score, Score, Risk Rating, PxI, LxI, RPN, Risikowert, Risikozahl, Risikobewertung, Punkte',
    // In words these are levels; their numbers may be anything.
    rating: 'Rating, Exposure, Risk Value, Magnitude, Priority, Prio, Priorität, Bewertung',
    level:
      'Risk Level, Level, Risk Rating, Severity, Criticality, RAG, RAG Status, Inherent Risk, Risikostufe, Stufe, Risikoklasse, Kritikalität, Risk',
    status:
      'Status, Current Status, State, Stage, Zustand, Stand, Bearbeitungsstand, Bearbeitungsstatus, Risikostatus, Statut, Estado, Situação, 状态',
    treatment:
      'Response, Risk Response, Response Strategy, Treatment, Risk Treatment, Treatment Type, Treatment Strategy, Strategy, Decision, Approach, Risikostrategie, Strategie, Behandlung, Risikobehandlung',
    mitigation:
      'Mitigation, Mitigation Plan, Mitigation Strategy, Mitigation Actions, Mitigation Notes, Mitigating Actions, Treatment Plan, Response Plan, Action Plan, Action, Recommended Mitigation, Recommendation, Countermeasure, Measures, Remediation, Fix, Controls, Control, Solution, Maßnahme, Maßnahmen, Lösung, Gegenmaßnahme, Gegenmaßnahmen, Maßnahmenplan, Risikominderung, Plan d’action, Mitigação, Działania, 应对措施',
    cause:
      'Cause, Root Cause, Source, Trigger, Driver, Threat, Vulnerability, Ursache, Ursachen, Auslöser, Risikoquelle, Bedrohung, Schwachstelle',
    owner:
      'Risk Owner, Owner, Owner Name, Assignee Name, Owned By, Responsible, Responsible Person, Person Responsible, Responsibility, Accountable, Assigned To, Assignee, Assigned, Action Owner, Lead, Risikoeigner, Risikoverantwortlicher, Verantwortlich, Verantwortlicher, Verantwortliche, Eigentümer, Zuständig, Risikoinhaber, Porteur du risque, Responsable, Responsável, Właściciel ryzyka, 责任人',
    reviewOn:
      'Review Date, Next Review Date, Next Review, Nächste Überprüfung, Prüftermin, Prüfdatum, Überprüfungsdatum, Wiedervorlage',
    ...ENTRY,
  },
  issues: {
    reference:
      'Issue Key, Key, Issue ID, ID, Identifier, Reference, Ref, Number, No, Num, #, Ticket, Ticket ID, Ticket Number, Item, RAID ID, Code, Nr, Nummer, Lfd Nr, Vorgangsnummer, Schlüssel, Vorgangsschlüssel, N°',
    title:
      'Summary, Title, Subject, Name, Headline, Short Description, Issue, Problem, Topic, Zusammenfassung, Titel, Betreff, Thema, Bezeichnung, Description, Details, Beschreibung, Problembeschreibung',
    description: 'Description, Details, Detail, Body, Content, Beschreibung, Problembeschreibung',
    severity:
      'Severity, Priority, Prio, Criticality, Urgency, Impact, Level, Rating, Schweregrad, Priorität, Dringlichkeit, Schwere',
    status: 'Status, Current Status, State, Stage, Zustand, Stand, Bearbeitungsstand, Bearbeitungsstatus',
    assignee:
      'Assignee, Assigned To, Assignee Name, Owner, Owner Name, Responsible, Responsible Person, Person Responsible, Assigned, Action Owner, Owned By, Resolver, Lead, Zugewiesene Person, Bearbeiter, Zugewiesen an, Zugewiesen, Verantwortlich, Verantwortlicher, Zuständig',
    risk: 'Risk ID, Risk, Related Risk, Linked Risk, Risk Reference, Risiko',
    ...ENTRY,
  },
  people: {
    name: 'Display Name, Full Name, Name, Person, Employee, Preferred Name, Member, User, Worker, Anzeigename, Mitarbeiter, Mitarbeitername',
    login: 'User Name, Login, Account, Benutzername',
    firstName: 'First Name, Given Name, Forename, First, Vorname, Prénom',
    lastName: 'Last Name, Surname, Family Name, Last, Nachname, Familienname, Nom',
    email:
      'Work Email, Business Email, Company Email, Email, Email Address, Mail, Primary Email, User Principal Name, UPN, Login, Username, E-Mail-Adresse, Courriel',
    externalId:
      'Employee ID, Employee Number, Emp ID, Staff No, Personnel Number, ID, Object ID, External ID, Badge, No, Number, SAMAccountName, ObjectGUID, UID, Personalnummer, Personal Nr, Pers Nr, Mitarbeiternummer, Mitarbeiter Nr, Mitarbeiter-ID, Matricule',
    title:
      'Job Title, Title, Position, Role, Job, Designation, Function, Occupation, Business Title, Stelle, Funktion, Berufsbezeichnung, Tätigkeit, Rolle, Stellenbezeichnung, Jobtitel, Poste',
    department:
      'Department, Dept, Division, Abteilung, Bereich, Referat, Organisationseinheit, Service, Team, Business Unit, Unit, Section, Organisation, Organization',
    status:
      'Status, Employment Status, Account Status, State, Active, Enabled, Account Enabled, Is Active, Aktiv, Beschäftigungsstatus, Actif, Statut, Activo, Ativo, Estado, Aktywny',
    groups: 'Groups, Teams, Member Of, Gruppen, Gruppe',
    private:
      'Salary, Pay, Wage, Compensation, Bonus, Hourly Rate, Pay Rate, Annual Salary, Gehalt, Lohn, Salaire, Salario, Salário, Wynagrodzenie, 工资, 薪资, Date of Birth, Birth Date, Birthday, DOB, Age, Geburtsdatum, Gebdat, Geburtstag, Alter, Date de naissance, Fecha de nacimiento, Data de nascimento, Data urodzenia, 出生日期, 生日, 年龄, Gender, Sex, Geschlecht, Sexe, Genre, Sexo, Género, Gênero, Płeć, 性别, SSN, Social Security Number, National ID, Tax ID, Passport, Passport Number, IBAN, Bank Account, Account Number, Home Address, Address, Street, Postal Code, Zip, Zip Code, Postcode, Adresse, Anschrift, Dirección particular, Endereço, Adres, 地址, 身份证号, Home Phone, Personal Email, Private Email, Personal Phone, Marital Status, Nationality, Religion, Ethnicity, Race, Disability, Emergency Contact, Steuer-ID, Sozialversicherungsnummer, PESEL, CPF, NIF, DNI, Password',
  },
  groups: {
    name: 'Name, Group, Team, Team Name, Display Name, Title, Gruppe, Gruppenname',
    externalId: 'ID, Object ID, External ID, Identifier, Code, Kennung',
    description: 'Description, Purpose, Notes, Details, Beschreibung, Zweck',
    members: 'Members, Member Emails, People, Users, Mitglieder',
  },
  projects: {
    key: 'Key, Code, Project Code, Short Name, Abbreviation, ID, Number, No, Identifier, Reference, Ref, Kürzel, Projektkürzel, Projektschlüssel, Projektnummer, Nummer, Nr',
    name: 'Name, Project Name, Project, Title, Projekt, Projektname, Bezeichnung, Titel',
    description: 'Description, Summary, Scope, Objective, Details, Beschreibung, Ziel',
    url: ENTRY.url,
    status: 'Status, Project Status, State, Phase, Projektstatus',
  },
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** The noun itself in a heading adds nothing: Risk Owner, Issue Status. */
const NOUN_WORDS: Readonly<Partial<Record<NounPlural, ReadonlySet<string>>>> = {
  risks: words('risk risks risiko risikos risiken risque risques riesgo riesgos risco riscos ryzyko ryzyka'),
  issues: words('issue issues ticket tickets bug bugs defect defects problem problems probleme'),
  people: words('emp employee employees person people staff user users worker workers member members'),
  groups: words('group'),
  projects: words('project projekt projet proyecto projeto projektu'),
}
export const wordsOfNoun = (noun: NounPlural): ReadonlySet<string> => NOUN_WORDS[noun] ?? new Set([noun])

/** A column of people whose heading has one of these words is left out, whatever the others are. */
export const PRIVATE_WORDS = words(
  'password passwort passwd pwd pin secret token contrasena senha haslo salary salaries wage payroll gehalt salaire ssn iban passport kid kids child children',
)

/** Words that a heading may have or lack. */
export const SMALL_WORDS = words('of the a an for in de d du des la le les l el del der die das do da dos em')

/** Words that a heading has as well, and that change nothing: Description of Potential Risk, Identified Risks. */
export const FILLERS = words('potential possible identified known suspected or list')

/** Beside a factor: the words for a state of the risk, and the rank of such a name among those without a state. */
export const STATES = [
  { isResidual: false, rank: -500, words: words('current actual now aktuell aktuelle') },
  {
    isResidual: false,
    rank: 500,
    words: words(
      'inherent initial gross raw original untreated baseline pre before premitigation brutto inharent inherente inicial initiale bruto brut',
    ),
  },
  {
    isResidual: true,
    rank: 0,
    words: words(
      'residual target net post after postmitigation mitigated treated remaining future new revised rest netto restrisiko residuel residuelle neto',
    ),
  },
]

/** What is said beside a state: after mitigation, with controls, inherent risk assessment. */
export const STATE_FILLERS = words(
  'mitigation mitigations treatment treatments control controls measures actions response assessment analysis massnahmen',
)
