import type { SheetNoun } from '../table.js'

const RAID_TYPES = [
  'Type, RAID Type, Item Type, RAID, Log Type, Entry Type, Record Type, Kind, Typ, Art, Tipo, Rodzaj, 类型',
]
const LINKS = [
  'URL, Link, Web Link, Web URL, HTML URL, Hyperlink, Website, Lien, Enlace, Ligação, Odnośnik, 链接, 网址',
]

/**
 * What people call the columns of each noun, the better name first: where a sheet has two, the first is taken.
 * Case, accents, punctuation, the noun itself (Risk Owner) and small words (Date of review) do not count.
 * The languages follow each other: English, German, French, Spanish, Portuguese, Polish, Chinese.
 */
export const ALIASES: Readonly<Record<SheetNoun, Readonly<Record<string, readonly string[]>>>> = {
  risks: {
    reference: [
      'ID, ID No, Identifier, Reference, Ref, Ref No, Reference Number, Number, No, Num, Key, Code, #, Item, Item No, Finding ID',
      'Risk Index, RAID ID, Serial No, S No, Sr No, UID, Unique ID, Register ID, Ticket',
      'Nr, Nummer, Lfd Nr, Laufende Nummer, Kennung, Risikonummer, Risiko-ID, Risikonr, RisikoNr, Referenz',
      'Numéro, N°, Réf, Référence, Identifiant, Código, Núm, Número, Nº, Cód, Referencia, Identificador, Referência',
      'Lp, Numer, Nr ryzyka, Identyfikator, 编号, 序号, 风险编号, 风险ID, 编码',
    ],
    title: [
      'Title, Name, Risk Title, Risk Name, Summary, Short Description, Risk Summary, Headline, Subject, Risk Event, Event',
      'Risk, Risks, Risk Statement, Risk Item, Risk Factor, Topic, Finding, Hazard, Issue, Problem, Concern',
      'Titel, Bezeichnung, Risikobezeichnung, Risikotitel, Risikoname, Kurzbeschreibung, Risiko, Risiken, Thema',
      'Titre, Intitulé, Intitulé du risque, Libellé, Nom, Nom du risque, Risque, Título, Nombre, Nombre del riesgo, Riesgo',
      'Nome, Nome do risco, Risco, Evento, Tytuł, Nazwa, Nazwa ryzyka, Ryzyko, 风险名称, 名称, 标题, 风险, 风险事件, 风险项',
      'Title Description, Vulnerability Name, Vuln Name, Threat Event, Threat Scenario, Scenario, Risk Scenario, Szenario',
      'Risk Description, Description of Risk, Description, Details, Risk Detail, Risk Definition, Risk Type',
      'Risikobeschreibung, Beschreibung, Description du risque, Descripción del riesgo, Descripción, Descrição do risco, Descrição',
      'Opis ryzyka, Opis, 风险描述, 描述, Threat, Threats, Threat Description, Vulnerability, Bedrohung, Menace, Amenaza, Ameaça',
      'Vulnerability Description, Hazardous Event, Description of Hazardous Event, Condition, Identified, Identification, Identificación, Identificação, Identifikation',
      'Item, Risk Category, Category, Kategorie, Catégorie, Categoría, Categoria, Kategoria, 类别',
    ],
    description: [
      'Description, Risk Description, Description of Risk, Details, Detail, Risk Detail, Long Description, Full Description',
      'Detailed Description, Risk Definition, Explanation, Scenario, Risk Statement, Threat Description',
      'Beschreibung, Risikobeschreibung, Beschreibung des Risikos, Erläuterung, Szenario, Description du risque, Détail',
      'Descripción, Descripción del riesgo, Detalle, Descrição, Descrição do risco, Detalhe, Detalhes, Opis, Opis ryzyka',
      '风险描述, 描述, 详细描述, 说明',
    ],
    category: [
      'Category, Risk Category, Risk Type, Type, Class, Classification, Risk Area, Area, Domain, Risk Class, Theme, RBS',
      'Kategorie, Risikokategorie, Risikoart, Typ, Art, Bereich, Klasse, Catégorie, Type de risque, Domaine, Famille',
      'Categoría, Tipo, Tipo de riesgo, Área, Categoria, Tipo de risco, Kategoria, Kategoria ryzyka, Rodzaj, Typ ryzyka, Obszar',
      '类别, 风险类别, 风险类型, 分类, 类型, Section',
    ],
    likelihood: [
      'Likelihood, Probability, Likelihood Score, Probability Score, Likelihood Rating, Probability Rating, Likelihood Level',
      'Probability Level, Likelihood of Occurrence, Probability of Occurrence, Chance, Frequency, Occurrence, Prob, PRB, L, P, PI Probability',
      'Possibility, Possibility of Occurrence, Probability of Occurance, Prob of Occurrence, Prob of Occurance, Liklyhood',
      'Eintrittswahrscheinlichkeit, Wahrscheinlichkeit, EW, W, Häufigkeit, Eintrittswahrsch, Auftrittswahrscheinlichkeit, Probabilité, Vraisemblance, Fréquence',
      'Probabilité d’occurrence, Probabilidad, Probabilidad de ocurrencia, Probabilidade, Probabilidade de ocorrência, Prawdopodobieństwo',
      'Prawdopodobieństwo wystąpienia, 可能性, 概率, 发生概率, 发生可能性, 概率等级',
    ],
    impact: [
      'Impact, Consequence, Impact Score, Consequence Score, Impact Rating, Consequence Rating, Impact Level, Consequence Level',
      'Consequences, Max Conseq Level, Overall Impact, Magnitude of Impact, Business Impact, Outcome Rating, IMP, I, C, Severity, Severity Score',
      'Severity Level, Severity of Impact, Effect, Damage, Auswirkung, Auswirkungen, Auswirkungsgrad, Gefährdungsgrad, Schadenshöhe, Schadensausmaß, Schaden, Tragweite',
      'Schadenausmaß, Schwere, Schweregrad, Impact du risque, Gravité, Conséquence, Conséquences, Sévérité, Impacto, Severidad, Gravedad',
      'Consecuencia, Severidade, Gravidade, Consequência, Impacto Score, Wpływ, Skutek, Skutki, Oddziaływanie, 影响, 影响程度, 严重性',
      '严重程度, 后果, 影响等级',
    ],
    score: [
      'Risk Score, Score, Risk Rating, Rating, Risk Value, Total Score, Overall Score, Overall Rating, Exposure, Risk Exposure',
      'Risk Factor, Magnitude, MAG, PI Score, PxI, LxI, RPN, Risk Index, Risk Magnitude, Total Risk, Overall Risk, Risk Priority Number',
      'Risikowert, Risikozahl, Risikokennzahl, Risikohöhe, Bewertung, Risikobewertung, Punkte, Criticité, Cotation, Note, Score du risque',
      'Puntuación, Puntaje, Valor, Valoración, Exposición, Criticidad, Pontuação, Valor do risco, Exposição, Criticidade, Wynik, Ocena',
      'Ocena ryzyka, Wartość ryzyka, Istotność, 风险值, 风险得分, 得分, 评分, 风险分值, 分值',
    ],
    level: [
      'Risk Level, Level, Risk Rating, Rating, Risk Severity, Severity, Risk Priority, Priority, Criticality, Risk Class, RAG, RAG Status',
      'Inherent Risk, Inherent Risk Level, Overall Risk Level, Current Risk, Risikostufe, Stufe, Risikoklasse, Priorität, Kritikalität',
      'Niveau, Niveau de risque, Priorité, Nivel, Nivel de riesgo, Nivel Riesgo, Prioridad, Nível, Nível de risco, Prioridade',
      'Classificação, Poziom, Poziom ryzyka, Priorytet, 风险等级, 等级, 级别, 优先级, Risk',
    ],
    status: [
      'Status, Risk Status, State, Current Status, Open/Closed, Register Status, Stage, Risk State, Zustand, Risikostatus, Statut',
      'État, Etat du risque, Estado, Estado del riesgo, Situação, Estado do risco, Stan, Status ryzyka, 状态, 风险状态',
    ],
    treatment: [
      'Response, Risk Response, Response Type, Response Strategy, Treatment, Risk Treatment, Treatment Strategy, Treatment Option',
      'Treatment Type, Response Option, Strategy, Risk Strategy, Decision, Treatment Decision, Mitigation Type, Risk Approach, Approach',
      'Risikostrategie, Strategie, Bewältigungsstrategie, Umgang, Behandlung, Risikobehandlung, Reaktion, Stratégie, Traitement',
      'Réponse, Estrategia, Respuesta, Tratamiento, Estrategia de respuesta, Estratégia, Resposta, Tratamento, Strategia, Reakcja',
      'Reakcja na ryzyko, 应对策略, 策略, 应对方式, 风险应对',
    ],
    mitigation: [
      'Mitigation, Mitigation Plan, Mitigation Strategy, Mitigation Action, Mitigation Actions, Mitigation Measures, Mitigations',
      'Mitigating Actions, Mitigation Treatment Plan, Treatment Plan, Response Plan, Risk Response Plan, Treatment Actions, Treatment Action',
      'Action Plan, Actions, Action, Planned Actions, Recommended Treatment, Recommended Mitigation, Recommended Action, Recommended Actions',
      'Recommended Controls, Recommended Control, Recommendation, Response Summary, Countermeasure, Countermeasures, Measure, Measures, Preventive Actions, Remediation',
      'Remediation Plan, Fix, Mitigation Contingency, Contingency Plan, Controls, Control, Risk Controls, Controls in Place, Proposed Controls, Solution',
      'Maßnahme, Maßnahmen, Lösung, Gegenmaßnahme, Gegenmaßnahmen, Maßnahmenplan, Risikominderung, Mesure, Mesures, Plan d’action, Actions préventives',
      'Mesures d’atténuation, Plan de traitement, Parade, Mitigación, Plan de mitigación, Plan de acción, Medidas, Acciones, Plan de respuesta',
      'Acción, Control propuesto, Mitigação, Plano de mitigação, Plano de ação, Ações, Plano de resposta, Działania, Plan działania',
      'Środki zaradcze, Plan reakcji, Działania zapobiegawcze, 应对措施, 缓解措施, 措施, 控制措施, 处置措施, 应对计划, 防范措施',
    ],
    cause: [
      'Cause, Causes, Root Cause, Root Causes, Risk Cause, Risk Source, Source of Risk, Source, Trigger, Risk Trigger, Risk Driver, Driver',
      'Threat, Threat Source, Threat Description, Vulnerability, Vulnerabilities, Ursache, Ursachen, Auslöser, Risikoquelle, Bedrohung',
      'Schwachstelle, Cause du risque, Origine, Causa, Causas, Origen, Causa raíz, Causa raiz, Origem, Amenaza, Vulnerabilidad, Przyczyna',
      'Przyczyny, Źródło ryzyka, 原因, 风险原因, 风险来源, 成因, 触发条件',
    ],
    owner: [
      'Risk Owner, Owner, Owner Email, Owner E-mail, Owner Name, Owned By, Responsible, Responsible Person, Responsibility, Accountable, Accountability, Owner Team',
      'Assigned To, Assignee, Assigned, Person Responsible, Risk Manager, Action Owner, Mitigation Owner, Lead, PIC, Person in Charge, Assigned Analyst',
      'Risikoeigner, Risikoverantwortlicher, Verantwortlich, Verantwortlicher, Verantwortliche, Eigentümer, Zuständig, Risikoinhaber',
      'Propriétaire, Porteur, Porteur du risque, Responsable, Pilote, Propriétaire du risque, Propietario, Propietario del riesgo, Dueño',
      'Encargado, Responsável, Dono, Dono do risco, Proprietário, Właściciel, Właściciel ryzyka, Odpowiedzialny, Osoba odpowiedzialna',
      '责任人, 负责人, 风险责任人, 风险负责人, 所有者',
    ],
    raisedOn: [
      'Date Raised, Raised On, Raised, Date Identified, Identified On, Identified Date, Date of Identification, Identification Date, Raised Date',
      'Date Logged, Logged On, Date Opened, Opened Date, Open Date, Opened On, Date Created, Created Date, Created On, Created At, Created, Date Added',
      'Added On, Logged, Date Reported, Reported On, Report Date, Date Registered, Registered On, Entry Date, Date Entered, Start Date, Assessment Date, Date Assessed, Date',
      'Erfasst am, Erfasst, Identifiziert am, Erkannt am, Eröffnet am, Erstellt am, Erstellungsdatum, Erfassungsdatum, Datum, Date d’identification',
      'Identifié le, Date de création, Créé le, Date de détection, Date d’ouverture, Fecha de identificación, Fecha de registro, Fecha',
      'Fecha de creación, Fecha de alta, Data de identificação, Data de criação, Data de registro, Data de registo, Data identyfikacji',
      'Data zgłoszenia, Data utworzenia, Data, 识别日期, 提出日期, 登记日期, 创建日期, 发现日期, 识别时间, 创建时间, 日期',
    ],
    dueOn: [
      'Due Date, Due On, Due, Date Due, Target Date, Target Completion Date, Target Completion, Target Resolution Date, Target Resolution, Deadline, Completion Date',
      'Planned Completion, Planned Completion Date, Expected Resolution, Expected Completion, Expected Closure, Expected Closure Date',
      'Target Closure Date, Target Close Date, Action Due Date, Mitigation Date, Mitigation Due Date, Mitigation Deadline, By When, ETA, Timeline',
      'Fällig am, Fälligkeit, Fälligkeitsdatum, Termin, Frist, Zieltermin, Zieldatum, Umsetzung bis, Échéance, Date d’échéance, Date cible',
      'Date limite, Délai, Fecha límite, Fecha objetivo, Vencimiento, Fecha de vencimiento, Plazo, Prazo, Data limite, Data prevista',
      'Data alvo, Termin realizacji, Data realizacji, 截止日期, 到期日, 完成日期, 计划完成日期, 目标日期, 期限, 计划完成时间',
    ],
    reviewOn: [
      'Review Date, Review On, Next Review Date, Next Review, Date of Next Review, Review Due, Review Due Date, Next Assessment Date',
      'Überprüfung am, Nächste Überprüfung, Prüftermin, Prüfdatum, Überprüfungsdatum, Wiedervorlage, Date de revue, Prochaine revue',
      'Date de révision, Prochaine révision, Fecha de revisión, Próxima revisión, Data de revisão, Próxima revisão, Data przeglądu',
      'Następny przegląd, 复核日期, 评审日期, 下次评审日期, 审查日期, 复查日期',
    ],
    project: [
      'Project Key, Project Code, Project ID, Project, Project Name, Projekt, Projektnummer, Projektname, Projet, Code projet, Proyecto',
      'Código de proyecto, Projeto, Código do projeto, Kod projektu, 项目, 项目编号, 项目名称, Programme, Program',
    ],
    url: LINKS,
    raidType: RAID_TYPES,
  },
  issues: {
    reference: [
      'Issue Key, Key, Issue ID, ID, Identifier, Reference, Ref, Number, No, Num, #, Ticket, Ticket ID, Ticket Number, Work Item ID, Issue Number',
      'Bug ID, Defect ID, Case Number, Incident Number, Item, Item No, RAID ID, S No, Sr No, Code, Issue No, Nr, Nummer, Lfd Nr, Vorgangsnummer',
      'Schlüssel, Vorgangsschlüssel, Numéro, N°, Réf, Référence, Identifiant, Clé, Clé de ticket, Clave, Clave de incidencia, Número, Nº, Código',
      'Referencia, Chave, Chave da item, Chave do item, Lp, Numer, Klucz, Klucz zgłoszenia, 编号, 序号, 关键字, 问题编号, 问题关键字, 密钥',
    ],
    title: [
      'Summary, Title, Subject, Name, Issue Title, Issue Name, Headline, Short Description, Issue Summary, Issue, Problem, Issue Statement, Topic',
      'Zusammenfassung, Titel, Betreff, Thema, Bezeichnung, Problem, Résumé, Titre, Sujet, Intitulé, Problème, Objet, Resumen, Título, Asunto',
      'Problema, Incidencia, Resumo, Assunto, Podsumowanie, Tytuł, Temat, Nazwa, 概要, 标题, 主题, 问题, 摘要, 名称',
      'Issue Description, Description of Issue, Description, Details, Beschreibung, Problembeschreibung, Descripción, Descrição, Opis, 问题描述, 描述',
    ],
    description: [
      'Description, Issue Description, Description of Issue, Details, Detail, Body, Long Description, Content, Beschreibung, Problembeschreibung',
      'Détail, Descripción, Detalle, Descrição, Detalhes, Opis, 描述, 问题描述, 详情, 说明',
    ],
    severity: [
      'Severity, Priority, Issue Severity, Issue Priority, Criticality, Urgency, Impact, Level, Rating, Schweregrad, Priorität, Dringlichkeit, Schwere',
      'Sévérité, Gravité, Priorité, Urgence, Criticité, Severidad, Gravedad, Prioridad, Criticidad, Impacto, Severidade, Gravidade, Prioridade',
      'Criticidade, Ważność, Priorytet, Krytyczność, Waga, 严重程度, 优先级, 严重性, 紧急程度, 级别',
    ],
    status: [
      'Status, State, Issue Status, Current Status, Stage, Resolution Status, Open/Closed, Zustand, Statut, État, Estado, Situação, Stan, 状态, 问题状态',
    ],
    assignee: [
      'Assignee, Assigned To, Assignee Email, Owner, Issue Owner, Responsible, Responsible Person, Assigned, Action Owner, Owned By, Resolver, Lead',
      'Zugewiesene Person, Bearbeiter, Zugewiesen an, Zugewiesen, Verantwortlich, Verantwortlicher, Zuständig, Responsable, Assigné à, Attribué à',
      'Personne assignée, Porteur, Persona asignada, Asignado a, Asignado, Encargado, Responsável, Atribuído a, Atribuído, Osoba przypisana',
      'Przypisany do, Przypisany, Odpowiedzialny, 经办人, 负责人, 责任人, 指派给, 处理人',
    ],
    raisedOn: [
      'Created, Created At, Created On, Created Date, Date Created, Date Raised, Raised On, Raised, Raised Date, Opened, Opened At, Opened On, Opened Date, Date Opened',
      'Open Date, Date Identified, Identified On, Date Reported, Reported On, Report Date, Date Logged, Logged On, Logged, Creation Date, Start Date, Date Start, Date',
      'Erstellt, Erstellt am, Angelegt, Gemeldet am, Erfasst am, Erfasst, Erstellungsdatum, Datum, Création, Créé le, Créée, Date de création, Date d’ouverture',
      'Creada, Creado, Fecha de creación, Fecha de apertura, Fecha, Criado, Criado em, Data de criação, Data de abertura, Utworzono, Data utworzenia',
      'Data zgłoszenia, Data, 创建日期, 创建时间, 已创建, 提出日期, 发现日期, 日期',
    ],
    dueOn: [
      'Due Date, Due, Due On, Deadline, Target Date, Target Resolution Date, Target Completion Date, Resolution Date Target, Expected Resolution, ETA',
      'Fälligkeitsdatum, Fällig, Fällig am, Fälligkeit, Frist, Termin, Zieltermin, Échéance, Date d’échéance, Date limite, Fecha de vencimiento',
      'Vencimiento, Fecha límite, Plazo, Data de vencimento, Prazo, Data limite, Termin realizacji, Termin, 到期日, 截止日期, 计划完成日期, 期限',
    ],
    project: [
      'Project Key, Project Code, Project ID, Project, Project Name, Projekt, Projektschlüssel, Projektname, Projet, Clé de projet, Proyecto',
      'Clave del proyecto, Projeto, Chave do projeto, Klucz projektu, 项目, 项目关键字, 项目名称',
    ],
    risk: [
      'Risk ID, Risk, Related Risk, Related Risk ID, Linked Risk, Risk Reference, Risk Ref, Risiko, Risque, Riesgo, Risco, Ryzyko, 风险编号, 关联风险',
    ],
    url: LINKS,
    raidType: RAID_TYPES,
  },
  people: {
    name: [
      'Display Name, Full Name, Name, Employee Name, Person, Employee, Preferred Name, Staff Name, Member, User, Member Name, Worker, Worker Name',
      'Anzeigename, Vollständiger Name, Mitarbeiter, Mitarbeitername, Nom complet, Nom et prénom, Nom d’affichage, Employé, Nombre completo',
      'Nombre y apellidos, Empleado, Nombre para mostrar, Nome completo, Nome, Funcionário, Colaborador, Nome de exibição, Imię i nazwisko',
      'Pełna nazwa, Pracownik, Nazwa wyświetlana, 姓名, 员工姓名, 名字, 显示名称, 名称',
    ],
    login: ['User Name, Username, Login, Account, Benutzername, Nom d’utilisateur, Usuario, Usuário, 用户名'],
    firstName: [
      'First Name, Given Name, Forename, Firstname, Fname, First, Legal First Name, Vorname, Prénom, Nombre, Nombres, Nome próprio, Primeiro nome, Imię, 名',
    ],
    lastName: [
      'Last Name, Surname, Family Name, Lastname, Lname, Last, Legal Last Name, SN, Nachname, Familienname, Nom, Nom de famille, Apellido, Apellidos',
      'Sobrenome, Apelido, Último nome, Nazwisko, 姓',
    ],
    email: [
      'Work Email, Business Email, Company Email, Email, E-mail, Email Address, E-mail Address, Email Work, Mail, Primary Email, Work Email Address',
      'User Principal Name, UserPrincipalName, UPN, Login, Username, E-Mail-Adresse, Emailadresse, Adresse e-mail, Courriel, Adresse mail, Mél',
      'Correo, Correo electrónico, Email corporativo, Correio eletrônico, Correio eletrónico, Endereço de e-mail, Adres e-mail, 邮箱, 电子邮件, 邮箱地址, 工作邮箱',
    ],
    externalId: [
      'Employee ID, Employee Number, Employee No, Emp ID, Emp No, Staff ID, Staff Number, Staff No, Personnel Number, Personnel No, Personnel ID, Worker ID, Person ID, ID',
      'Object ID, User ID, External ID, HR ID, Badge, Badge Number, Payroll Number, Payroll ID, Member ID, No, Number, SAMAccountName, ObjectGUID, UID',
      'Personalnummer, Mitarbeiternummer, Mitarbeiter-ID, Pers Nr, PersNr, Matricule, Numéro d’employé, Identifiant, Número de empleado, Legajo',
      'Id empleado, Nº empleado, Matrícula, Número de funcionário, Numer pracownika, Nr pracownika, Numer ewidencyjny, 工号, 员工编号, 人员编号, 编号',
    ],
    title: [
      'Job Title, Title, Position, Position Title, Role, Job, Designation, Function, Occupation, Business Title, Job Role, Stelle, Position, Funktion',
      'Berufsbezeichnung, Tätigkeit, Rolle, Stellenbezeichnung, Jobtitel, Poste, Fonction, Intitulé de poste, Rôle, Emploi, Puesto, Cargo, Función',
      'Função, Posição, Stanowisko, Funkcja, Rola, 职位, 岗位, 职务, 职称',
    ],
    department: [
      'Department, Dept, Department Name, Division, Team, Business Unit, Org Unit, Organizational Unit, Unit, Section, Cost Center Name, Organisation, Organization',
      'Abteilung, Bereich, Referat, Organisationseinheit, Département, Service, Direction, Équipe, Unité, Departamento, Área, Equipo, Dirección',
      'Setor, Equipe, Departament, Dział, Zespół, Wydział, 部门, 所属部门, 团队',
    ],
    status: [
      'Status, Employment Status, Employee Status, Account Status, State, Active, Enabled, Account Enabled, Is Active, Aktiv, Beschäftigungsstatus',
      'Statut, Actif, Estado, Activo, Situação, Ativo, Aktywny, 状态, 在职状态, 员工状态',
    ],
    groups: [
      'Groups, Group, Teams, Member Of, Group Membership, Gruppen, Gruppe, Groupes, Groupe, Grupos, Grupo, Grupy, Grupa, 组, 小组, 用户组',
    ],
    private: [
      'Salary, Pay, Wage, Compensation, Bonus, Hourly Rate, Pay Rate, Annual Salary, Gehalt, Lohn, Salaire, Salario, Salário, Wynagrodzenie, 工资, 薪资',
      'Date of Birth, Birth Date, Birthday, DOB, Age, Geburtsdatum, Geburtstag, Alter, Date de naissance, Fecha de nacimiento, Data de nascimento',
      'Data urodzenia, 出生日期, 生日, 年龄, Gender, Sex, Geschlecht, Sexe, Genre, Sexo, Género, Gênero, Płeć, 性别, SSN, Social Security Number, National ID',
      'Tax ID, Passport, Passport Number, IBAN, Bank Account, Account Number, Home Address, Address, Street, Postal Code, Zip, Zip Code, Postcode',
      'Adresse, Anschrift, Dirección particular, Endereço, Adres, 地址, 身份证号, Home Phone, Personal Email, Private Email, Personal Phone, Marital Status',
      'Nationality, Religion, Ethnicity, Race, Disability, Emergency Contact, Steuer-ID, Sozialversicherungsnummer, PESEL, CPF, NIF, DNI, Password',
    ],
  },
  groups: {
    name: [
      'Name, Group Name, Group, Team, Team Name, Display Name, Title, Gruppe, Gruppenname, Groupe, Nom du groupe, Nom, Équipe, Grupo, Nombre, Equipo',
      'Nome, Nome do grupo, Grupa, Nazwa grupy, Nazwa, 组名, 名称, 小组, 团队',
    ],
    externalId: [
      'Group ID, ID, Object ID, External ID, Identifier, Code, Kennung, Identifiant, Código, Identyfikator, 编号',
    ],
    description: [
      'Description, Purpose, Notes, Details, Beschreibung, Zweck, Descripción, Descrição, Opis, 描述, 说明',
    ],
    members: [
      'Members, Member, Member Emails, Member Email, People, Users, Mitglieder, Mitglied, Membres, Membre, Miembros, Membros, Członkowie, 成员',
    ],
  },
  projects: {
    key: [
      'Key, Project Key, Code, Project Code, Short Name, Abbreviation, Project ID, ID, Project Number, Number, No, Identifier, Reference, Ref',
      'Kürzel, Projektkürzel, Projektschlüssel, Projektnummer, Nummer, Nr, Clé, Code projet, Sigle, Numéro, Clave, Código, Código de proyecto',
      'Sigla, Chave, Código do projeto, Kod, Kod projektu, Skrót, 编号, 项目编号, 项目代码, 代码',
    ],
    name: [
      'Name, Project Name, Project, Title, Project Title, Projekt, Projektname, Bezeichnung, Titel, Nom, Nom du projet, Projet, Titre, Nombre',
      'Nombre del proyecto, Proyecto, Nome, Nome do projeto, Projeto, Nazwa, Nazwa projektu, 名称, 项目名称, 项目',
    ],
    description: [
      'Description, Project Description, Summary, Scope, Objective, Details, Beschreibung, Ziel, Descripción, Alcance, Descrição, Escopo, Opis, 描述, 项目描述, 说明',
    ],
    url: LINKS,
    status: [
      'Status, Project Status, State, Phase, Projektstatus, Statut, État, Estado, Situação, Stan, 状态, 项目状态',
    ],
  },
}

/** The noun itself in a heading adds nothing: Risk Owner, Issue Status. */
export const NOUN_WORDS: Readonly<Record<SheetNoun, ReadonlySet<string>>> = {
  risks: new Set(
    'risk risks risiko risikos risiken risque risques riesgo riesgos risco riscos ryzyko ryzyka'.split(' '),
  ),
  issues: new Set('issue issues ticket tickets bug bugs defect defects problem problems probleme'.split(' ')),
  people: new Set('emp employee employees person people staff user users worker workers member members'.split(' ')),
  groups: new Set(['group']),
  projects: new Set('project projekt projet proyecto projeto projektu'.split(' ')),
}

/** A column of people whose heading has one of these words is left out, whatever the others are. */
export const PRIVATE_WORDS = new Set(
  'password passwort passwd pwd pin secret token contrasena senha haslo salary salaries wage payroll gehalt salaire ssn iban passport kid kids child children'.split(
    ' ',
  ),
)

/** Words that a heading may have or lack. */
export const SMALL_WORDS = new Set(
  'of the a an for in de d du des la le les l el del der die das do da dos em'.split(' '),
)

/** Words that a heading has as well, and that change nothing: Description of Potential Risk, Identified Risks. */
export const FILLERS = new Set('potential possible identified known suspected or list'.split(' '))

/** Beside a factor: which state of the risk it is about. The prefixes are for languages without spaces. */
export const STATES = {
  current: { words: 'current actual now aktuell aktuelle actuel actuelle atual', prefixes: ['当前', '现有'] },
  inherent: {
    words:
      'inherent initial gross raw original untreated baseline pre before premitigation brutto brut brute inhärent inhérent ' +
      'inhérente initiale inherente inicial bruto bruta inherentne początkowe',
    prefixes: ['固有', '初始'],
  },
  residual: {
    words:
      'residual target net post after postmitigation mitigated treated remaining future new revised rest netto restrisiko résiduel ' +
      'résiduelle nette residuales neto objetivo líquido rezydualne szczątkowe',
    prefixes: ['残余', '剩余', '残留'],
  },
} as const

/** What is said beside a state: after mitigation, with controls, inherent risk assessment. */
export const STATE_FILLERS = new Set(
  'mitigation mitigations treatment treatments control controls measures actions response assessment analysis evaluation massnahmen'.split(
    ' ',
  ),
)
