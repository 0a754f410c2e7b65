import type { ProjectStatus } from '../vocabulary.js'

/** Meridian, a company that does not exist: it plans and builds ports, lines and plants. */

export const GROUPS = {
  office: { name: 'Project Office', description: 'Plans, reports and the monthly review of every project.' },
  engineering: { name: 'Engineering', description: 'Answers for design, testing and commissioning.' },
  procurement: { name: 'Procurement Board', description: 'Awards contracts and follows up deliveries.' },
  finance: { name: 'Project Controlling', description: 'Budgets, forecasts and change orders.' },
  security: { name: 'Security Response', description: 'Handles weaknesses and incidents in networks and plants.' },
  compliance: { name: 'Permits and Compliance', description: 'Keeps contact with authorities and inspectors.' },
  site: { name: 'Site Leads', description: 'Runs the building sites, and decides when weather stops the work.' },
  crisis: { name: 'Crisis Team', description: 'Can be reached day and night.' },
} as const
export type GroupKey = keyof typeof GROUPS

type Footing = 'contractor' | 'left' | 'no mailbox'
type Employee = readonly [name: string, title: string, department: string, groups: readonly GroupKey[], how?: Footing]

export const PEOPLE: readonly Employee[] = [
  ['Amara Okafor', 'Programme Director', 'Delivery', ['office', 'crisis']],
  ['Henrik Lindqvist', 'Head of Project Office', 'Delivery', ['office']],
  ['Priya Raghunathan', 'Senior Project Manager', 'Delivery', ['office']],
  ['Tomás Herrera', 'Project Manager', 'Delivery', ['office']],
  ['Mei-Ling Chua', 'Project Manager', 'Delivery', ['office', 'crisis']],
  ['Erik Sandvik', 'Project Manager', 'Delivery', ['office'], 'left'],
  ['Fatima El Amrani', 'Project Manager', 'Delivery', ['office', 'compliance']],
  ['Jonas Weidner', 'Project Manager', 'Delivery', ['office']],
  ['Callum Reid', 'Planner', 'Delivery', ['office']],
  ['Yuki Tanabe', 'Planner', 'Delivery', []],
  ['Ingrid Solheim', 'Chief Engineer', 'Engineering', ['engineering', 'crisis']],
  ['Rafael Monteiro', 'Structural Engineer', 'Engineering', ['engineering']],
  ['Lucía Navarro', 'Marine Engineer', 'Engineering', ['engineering'], 'left'],
  ['Hannah Goldberg', 'Geotechnical Engineer', 'Engineering', ['engineering'], 'contractor'],
  ['Kwame Mensah', 'Mechanical Engineer', 'Engineering', ['engineering']],
  ['Sophie Laurent', 'Control Systems Engineer', 'Engineering', ['engineering', 'security']],
  ['Aoife Brennan', 'Commissioning Engineer', 'Engineering', ['engineering', 'site']],
  ['Nadia Petrova', 'Electrical Engineer', 'Engineering', ['engineering']],
  ['Diego Fuentes', 'Signalling Engineer', 'Engineering', ['engineering']],
  ['Arjun Nair', 'Software Engineer', 'Engineering', ['engineering']],
  ['Zeynep Aydin', 'Data Engineer', 'Engineering', []],
  ['Oliver Whitcombe', 'Test Manager', 'Engineering', ['engineering']],
  ['Beatriz Carvalho', 'Head of Procurement', 'Procurement', ['procurement', 'crisis']],
  ['Stefan Kovač', 'Category Manager', 'Procurement', ['procurement']],
  ['Leila Haddad', 'Contract Manager', 'Procurement', ['procurement', 'compliance']],
  ['Patrick Nwosu', 'Buyer', 'Procurement', ['procurement']],
  ['Claire Dubois', 'Buyer', 'Procurement', ['procurement'], 'left'],
  ['Anneli Koskinen', 'Logistics Coordinator', 'Procurement', ['procurement']],
  ['Rohan Mehta', 'Supplier Quality Lead', 'Procurement', ['procurement']],
  ['Gregor Baumann', 'Head of Controlling', 'Finance', ['finance', 'crisis']],
  ['Thandiwe Dlamini', 'Project Controller', 'Finance', ['finance']],
  ['Marco Bellini', 'Project Controller', 'Finance', ['finance']],
  ['Siobhán Kelly', 'Cost Engineer', 'Finance', ['finance']],
  ['Hiroshi Nakata', 'Treasury Analyst', 'Finance', ['finance']],
  ['Elena Vasquez', 'Accounts Payable Clerk', 'Finance', []],
  ['Daniel Osei', 'Head of Information Security', 'IT', ['security', 'crisis']],
  ['Katarzyna Nowak', 'Security Analyst', 'IT', ['security']],
  ['Ravi Subramanian', 'Identity Engineer', 'IT', ['security']],
  ['Minh Tran', 'Network Engineer', 'IT', ['security', 'engineering']],
  ['Emil Jakobsen', 'Systems Administrator', 'IT', []],
  ['Viktor Horváth', 'Database Administrator', 'IT', [], 'left'],
  ['Grace Kimani', 'Service Desk Lead', 'IT', []],
  ['Margaret Ellison', 'General Counsel', 'Legal', ['compliance', 'crisis']],
  ['Pieter van der Meer', 'Permits Manager', 'Legal', ['compliance']],
  ['Noor Rahman', 'Environmental Adviser', 'Legal', ['compliance']],
  ['Isabelle Fontaine', 'Data Protection Officer', 'Legal', ['compliance', 'security']],
  ['Samuel Adeyemi', 'Health and Safety Manager', 'Construction', ['compliance', 'site', 'crisis']],
  ['Jakub Dvořák', 'Site Manager', 'Construction', ['site']],
  ['Malia Kealoha', 'Site Manager', 'Construction', ['site']],
  ['Bruno Schäfer', 'Site Manager', 'Construction', ['site', 'crisis']],
  ['Ahmed Mansour', 'Construction Supervisor', 'Construction', ['site']],
  ['Linh Pham', 'Site Engineer', 'Construction', ['site', 'engineering']],
  ['Petra Novotná', 'Crane Supervisor', 'Construction', ['site'], 'no mailbox'],
  ['Joseph Mwangi', 'Foreman', 'Construction', ['site'], 'no mailbox'],
  ['Carlos Ibáñez', 'Foreman', 'Construction', [], 'no mailbox'],
  ['Andrei Popescu', 'Electrician', 'Construction', [], 'no mailbox'],
  ['Teresa Silva', 'Surveyor', 'Construction', [], 'contractor'],
  ['Caroline Whitfield', 'Head of People', 'People', ['crisis']],
  ['Adaeze Obi', 'Recruiter', 'People', []],
  ['Lars Magnusson', 'Communications Manager', 'Communications', ['crisis']],
]

/**
 * Risks and issues are kept like minutes, with a `|` between them.
 * A risk: category, likelihood and impact (`--` unassessed) with `!` if it occurred or `x` if closed, title.
 * An issue: category, initial of the severity with `x` if done and `>2` if it came of the second risk, title.
 */
export interface DemoProject {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly status?: ProjectStatus
  readonly risks: string
  readonly issues: string
}

export const PROJECTS: readonly DemoProject[] = [
  {
    key: 'APOLLO',
    name: 'Apollo ground station renewal',
    description: 'Two antennas and a control room for the Storvik ground station, without losing a satellite pass.',
    risks: `Supply 44! Helion Antennas ships the second azimuth drive late | Technical 35 Old and new antenna disturb
      each other during parallel running | Security 24 Remote maintenance by Helion Antennas bypasses our gateway |
      Regulatory 25 Licence for the X-band uplink is not extended in time | People 33 Only one engineer still knows
      the 1998 tracking software | Weather 43 Snow closes the road to Storvik in the weeks of the reflector lift |
      Budget 32 Exchange rate makes the imported feed horns dearer | Schedule -- Customer moves its launch into our
      cut-over week | Technical 22x Control room floor does not carry the new racks`,
    issues: `Supply C>1 Second azimuth drive is six weeks late at the factory | Technical H>2 Ghost signals on antenna
      1 whenever antenna 2 transmits | Technical Mx Pointing is off by 0.2 degrees since the software update |
      Schedule H Cut-over rehearsal clashes with the eclipse season | Security M>3 Helion account on the antenna
      controller never expires | Budget Lx Radome lining was booked to the wrong project | Technical H Backup
      generator does not start below minus 20 degrees | People M Night shift lacks two operators trained on the new
      console | Weather L Ice on the stairs to platform 2 | Regulatory Mx Noise measurement for the Storvik neighbours
      is missing | Technical M Control room clock drifts from the GPS reference | Supply Lx Two of twelve waveguide
      sections arrived dented`,
  },
  {
    key: 'HARBOR-2',
    name: 'Harbor terminal, second berth',
    description: 'A second container berth with two quay cranes at Port Senna, in service before the citrus season.',
    risks: `Supply 45! Kestrel Marine cannot ship both quay cranes in one sailing window | Weather 54 Autumn gales
      stop the dredger for more than ten days | Technical 34 Sheet piles meet rock above the planned depth |
      Regulatory 35 Port authority withholds the dredging permit after the seabed survey | Budget 43 Steel price rises
      before the fender contract is signed | Schedule 33 First vessel call is announced before the berth is accepted |
      Security 14 Crane controls can be reached from the yard wireless | Safety 25 Divers work under the old quay
      while ships manoeuvre | People -- Crane driver training starts before an instructor is hired | Technical 23x
      Bollard foundations crack under the load test`,
    issues: `Supply C>1 Second quay crane has missed the heavy-lift vessel | Weather H>2 Dredger lay idle for nine
      days in the gale | Technical H>3 Pile row C stopped 1.4 m short of its design depth | Regulatory Mx Seabed
      survey lacks the two samples at the breakwater | Technical M Crane rail is 11 mm out of gauge at chainage 240 |
      Budget H Demurrage claim of the heavy-lift carrier is disputed | Security M Yard wireless still has the
      installer's password | Safety Cx Life rings are missing along the temporary jetty | Schedule M Norrvik Lines has
      not agreed a date for berth acceptance | Supply Lx Fender panels were delivered in the wrong colour | Technical
      L Lighting mast 4 dazzles the pilots | People M Lashing crew has no shelter on the new quay | Regulatory H
      Customs has not approved the new gate layout | Technical Mx Shore power socket trips at full load`,
  },
  {
    key: 'CORAL',
    name: 'Coral offshore substation',
    description: 'The platform and the export cable that bring 300 MW of the Coral wind farm ashore.',
    risks: `Weather 55! Swell keeps the jack-up vessel in port through the lift window | Supply 35 Export cable fails
      its type test a second time | Regulatory 34 Porpoise season shortens the piling window | Technical 15
      Transformer is damaged on the sea transport | Budget 44 Vessel day rates rise when the charter is renewed |
      Safety 15 Helicopter ditches on the way to the platform | Security 23 Platform telemetry is sent ashore
      unencrypted | Supply 31x Cable protection mats arrive without certificates`,
    issues: `Weather C>1 Topside lift is put off to the next calm window | Supply H>2 Cable drum 3 failed the partial
      discharge test | Regulatory H>3 Bubble curtain does not keep the agreed noise limit | Technical M Cooling pump B
      vibrates above 40 Hz | Technical Mx Drawings of deck 2 show the old crane pedestal | Safety H Survival suits of
      the night crew are past inspection | Budget M Standby hours of the guard vessel are billed twice | Security M
      Helideck camera is open to the internet | Technical Hx Earthing of the platform legs was not measured | People M
      Half of the offshore crew needs a new sea survival certificate | Supply Lx Touch-up paint for the splash zone is
      of the wrong grade`,
  },
  {
    key: 'DELTA-9',
    name: 'Delta flood barrier, gate 9',
    description: 'Renews gate 9 of the flood barrier on the Maren while the other eight stay in service.',
    risks: `Technical 53! Gate hinges are more corroded than the survey showed | Weather 45 High water arrives before
      the cofferdam is closed | Supply 24 Hydraulic cylinders of Brandt Hydraulik fail the pressure test | Regulatory
      33 Waterways office limits night work near the houses | Schedule 34 Lock closure is refused in the grain season |
      Budget 42 Contaminated sludge has to go to a farther landfill | Safety -- Wartime ordnance in the river bed
      below the sill | People 12x Second lock keeper is away during the trial closure`,
    issues: `Technical H>1 Hinge 3 has to be cast anew | Weather H>2 Cofferdam pumps cannot keep up after heavy rain |
      Schedule M Barge owners ask for a third passage a day | Regulatory Mx Vibration log of the piling week was not
      handed in | Supply M Cylinder seals do not fit the new piston rods | Technical C Position sensor says closed
      while gate 9 is open | Safety Mx No rescue boat during Saturday work on the weir | Budget H Sludge disposal has
      used up its budget line | Technical L Paint blisters on the upstream skin plate | Regulatory M Fish ladder must
      be passable by the spawning season | Technical Lx Gate drawings and steel list name different bolt grades`,
  },
  {
    key: 'EMBER',
    name: 'Ember district heating',
    description: 'Waste heat of the Hallstead glassworks for 4,000 flats in Northside.',
    risks: `Schedule 44 Trench on Mill Road is not released before winter | Technical 32 Risers in the Northside
      blocks leak at the new pressure | Supply 33 Glassworks cuts a shift and delivers less heat | Budget 34 Heating
      subsidy is paid only after commissioning | Regulatory 22 Price regulator asks for a new tariff calculation |
      People 41 Residents' meetings tie up the site managers | Technical 13x Heat meters lose their readings in a
      power cut`,
    issues: `Schedule H>1 Mill Road permit covers one lane only | Technical H>2 Three leaks in the basement of
      Northside 14 | Budget M Subsidy office returned the cost plan unsigned | Technical Mx Flow sensor in the pump
      house counts backwards | Supply M Pre-insulated bends come without end caps | Regulatory L Tariff leaflet names
      the former supplier | People Lx Caretakers have no keys to the transfer stations | Technical C Pressure surge
      opened the safety valve twice in one night | Safety Hx Trench at the school was left unfenced over a weekend`,
  },
  {
    key: 'FALCON',
    name: 'Falcon baggage handling',
    description: 'A new sorter and screening line for Terminal B of Lindenfeld airport, built at night.',
    risks: `Technical 54! Sorter does not reach 3,600 bags an hour with soft bags | People 43 Airport passes take
      longer than the fitters' contracts | Security 35 Screening machines lose their certificate after the update |
      Schedule 52 Late charter flights eat into the night shifts | Supply 42 Roller motors of Volanta Systems need 30
      weeks | Budget 33 Airlines reject their share of the change orders | Regulatory 21 Fire officer asks for
      sprinklers above the sorter | Technical 51x Barcode readers miss creased tags`,
    issues: `Technical C>1 Sorter throughput stops at 2,900 bags an hour | People H>2 Fourteen fitters are waiting for
      airport passes | Security H>3 Screening machine 2 rejects its new image library | Technical Mx Emergency stop on
      belt 17 halts the whole line | Schedule M>4 Night shifts in hall B start an hour late | Supply M Spare motors
      came with the wrong connector | Technical H Bags jam where belts 8 and 9 merge | Budget Lx Airlines received the
      wrong cost split | Regulatory M Escape plan of hall B shows the old walls | Technical Lx Tracking screen shows
      yesterday's flight numbers | Safety H Guard rail is missing at the maintenance walkway`,
  },
  {
    key: 'GLACIER',
    name: 'Glacier cold-chain warehouse',
    description: 'Deep-freeze store for vaccines and food with 22,000 pallet places in Norrby.',
    risks: `Technical 43! Ammonia plant cannot hold minus 28 degrees in a heat wave | Regulatory 24 Medicines agency
      asks for a second temperature mapping | Technical 51 Shuttle robots lose their way in the fog at the dock doors |
      Budget 53 Electricity price doubles during the cool-down | Supply 42 Insulation panels are held at customs |
      Security 13 Shift leads can alter temperature records | People -- Works council reopens the freezer allowance`,
    issues: `Technical C>1 Chamber 3 rose to minus 19 degrees on a Saturday | Regulatory H>2 Temperature mapping was
      rejected for missing door openings | Technical Mx Defrosting starts in all chambers at once | Security H Audit
      trail of the temperature logger is switched off | Supply M Dock shelters for doors 5 to 8 are missing |
      Technical L>3 Robot 11 stops at every frosted floor marker | People Mx Night shift has no heated break room |
      Budget M Peak load of the test week was billed as normal use | Safety Hx Ammonia alarm cannot be heard in the
      battery room`,
  },
  {
    key: 'HELIOS',
    name: 'Helios solar and battery park',
    description: '90 MW of panels and a 40 MWh battery on the former Tarn airfield.',
    risks: `Regulatory 44 Grid operator grants only part of the feed-in capacity | Supply 34 Battery containers are
      caught by the new import rules | Security 33 Inverters call home to a server of their maker | Weather 32 Hail
      breaks panels before the insurance starts | Technical 25 Fire in one battery container spreads to the next |
      Budget 14 Panel price falls after we have bought | Schedule -- Skylark nests delay the fence of the west field |
      Weather 11x Access road floods in spring`,
    issues: `Regulatory H>1 Grid offer is 12 MW below our application | Supply H>2 Nine battery containers are waiting
      at the border | Technical Mx String inverter 40 switches off at noon | Security M>3 Inverter firmware updated
      itself overnight | Technical H Gas detectors in container 6 give false alarms | Budget L Lease of the east field
      was paid twice | Weather Mx Storm loosened forty panel clamps in row 12 | Schedule M>7 Fence posts must wait
      until the nests are empty | Technical L Weather mast reports in local time | Safety Cx Fire brigade had no key
      to the battery compound`,
  },
  {
    key: 'IRONWAY',
    name: 'Ironway freight signalling',
    description: 'Digital signalling for 84 km of freight line from Coldharbour to Tarrow Junction.',
    risks: `Technical 55! Radio in the Mossberg tunnel is too weak for train control | Schedule 54 Track possessions
      are withdrawn for diverted trains | Regulatory 45 Rail inspectorate does not accept the safety case | Supply 22
      Signalbau Ost ends production of the axle counters | Security 15 Old interlocking accepts a forged movement
      authority | People 43 Signallers retire before the control centre opens | Budget -- Freight operators claim
      compensation for detours | Technical 41x Barriers at Tarrow crossing close four minutes early`,
    issues: `Technical C>1 Trains lose contact for 40 seconds in the Mossberg tunnel | Schedule H>2 Two of five
      weekend possessions were cancelled | Regulatory H>3 Inspectorate returned chapter 7 of the safety case |
      Technical Mx Axle counter at km 31 misses light wagons | People M Training simulator shows the old track layout |
      Supply M Duct lids for section 4 were not delivered | Security H Maintenance laptop of the interlocking was
      never patched | Technical Lx Signal names differ between plan and screen | Budget M>7 Detour costs of the quarry
      trains are not agreed | Technical H Point machine 214 freezes in light frost | Safety Mx No lookout at the night
      work near km 52`,
  },
  {
    key: 'LUMEN',
    name: 'Lumen street lighting',
    description: 'LED lamps for 18,000 street lights in Westhaven. Waits for the budget vote of the council.',
    status: 'ON_HOLD',
    risks: `Budget 55 Council strikes the second phase from its budget | Security 34 Lamp controllers share one key
      across the city | Technical 31 Old masts do not carry the new lamp heads | Supply 23 Lumora discontinues the
      lamp heads during the pause | Regulatory 12 Listed lamps in the old town may not be changed | People 42 Trained
      fitters leave during the pause`,
    issues: `Budget H>1 Second instalment of the council has not arrived | Security H>2 Lost handheld can still switch
      the lamps of district 4 | Technical Mx Lamps in Quay Street burn all day | Technical M>3 Mast 2207 leans since
      its conversion | Supply L Six hundred lamp heads are stored uninsured | Regulatory Lx Bat survey of the
      riverside walk was not filed | People Lx Residents' hotline names the former contractor | Technical M Town hall
      gateway reaches only half of its lamps`,
  },
  {
    key: 'NIMBUS',
    name: 'Nimbus data hall move',
    description: 'Moves 140 servers and the plant data platform from the Foundry Lane cellar to a new hall.',
    risks: `Security 45 Backups of the old hall turn out to be unreadable | Technical 35 Storage mirror breaks off in
      the move weekend | Schedule 52 Year-end closing blocks the only free weekends | People 11 Two administrators are
      on leave in the move month | Supply -- Second fibre shares a trench with the first | Budget -- Licences are
      counted by core in the new hall`,
    issues: `Security C>1 Restore test of the payroll backup failed | Technical H>2 Storage mirror lags four hours
      behind in the evening | Technical Mx Rack 12 draws more than its circuit allows | Schedule M>3 Finance has not
      released the November weekend | Supply M Fibre provider names another entry point | Budget L Lease of the
      Foundry Lane cellar renews itself in spring | Security Mx Door reader of the new hall accepts expired badges |
      Technical L Patch field is labelled in two numbering schemes`,
  },
  {
    key: 'QUARTZ',
    name: 'Quartz House relocation',
    description: 'Brought 320 desks from three sites to Quartz House. Handed over.',
    status: 'CLOSED',
    risks: `Schedule 44x Floor 3 is not fitted out when the lease starts | Budget 33x Landlord charges for reinstating
      the old offices | Technical 22x Meeting room screens refuse our laptops | Security 14x Visitors reach the
      project floors without a badge | People 53x North office staff resign over the longer commute`,
    issues: `Schedule Hx>1 Floor 3 had no power on the first Monday | Budget Mx>2 Landlord kept part of the deposit
      for the carpets | Technical Mx Wireless does not reach the canteen | People Lx Too few bicycle stands at the
      south entrance | Security Hx Strangers follow staff through the delivery door | Technical Lx Lift announces the
      wrong floors`,
  },
]
