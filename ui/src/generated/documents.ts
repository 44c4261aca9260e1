// Made by `tactus schema --typescript` from the tables of fields; do not edit.
/* eslint-disable */

/** the kernels of one run (kernels RUN --json) */
export interface Kernels {
  total_ns: number | null;
  whole_ns?: number;
  coverage: KernelsCoverage;
  rows: KernelsRows[];
  launches?: KernelsLaunches;
  folded?: KernelsFolded[];
  modules_from?: string;
  modules?: KernelsModules[];
  idle?: KernelsIdle;
  families: KernelsFamilies[];
  other_rows: KernelsOtherRows[];
  groups: KernelsGroups[];
  structure: KernelsStructure;
  bounds: KernelsBounds;
  hints: KernelsHints[];
  notes: KernelsNotes[];
  inconsistencies: string[];
  stacks: KernelsStacks[];
  answers: KernelsAnswers[];
  dropped: KernelsDropped;
  repaired: KernelsRepaired;
  warnings: string[];
}
export interface KernelsCoverage {
  source: number | null;
  operator: number | null;
  shape: number | null;
  bound: number | null;
  by_evidence: KernelsCoverageByEvidence;
  replayed: number | null;
  unattributed: number | null;
}
export interface KernelsCoverageByEvidence {
  stack: number | null;
  capture: number | null;
  note: number | null;
  rule: number | null;
}
export interface KernelsRows {
  name: string;
  family: string;
  operator: string | null;
  library: string | null;
  dtype_in: string | null;
  dtype_out: string | null;
  tile: (number | null)[] | null;
  stages: number | null;
  cluster: number[] | null;
  split_k: boolean;
  kv_split: boolean;
  causal: boolean | null;
  head_dim: number | null;
  vector_width: number | null;
  warps: number | null;
  era: string | null;
  source: KernelsRowsSource | null;
  rule_agrees?: boolean;
  op?: string | null;
  module?: string | null;
  input_dims?: unknown[] | null;
  input_types?: string[] | null;
  sources?: KernelsRowsSources[];
  call_line?: KernelsRowsCallLine | null;
  source_count?: number;
  shapes?: KernelsRowsShapes[];
  shape_count?: number;
  time_pct: number;
  total_ns: number;
  instances: number;
  avg_ns: number;
  med_ns: number | null;
  p90_ns: number | null;
  p99_ns: number | null;
  min_ns: number | null;
  max_ns: number | null;
  stddev_ns: number | null;
  grid?: number[];
  block?: number[];
  bound: KernelsRowsBound | null;
}
export interface KernelsRowsSource {
  file: string;
  line: number | null;
  function: string | null;
  line_kind: string | null;
  evidence: string;
}
export interface KernelsRowsSources {
  file?: string;
  line?: number | null;
  function?: string | null;
  line_kind?: string | null;
  evidence?: string;
  instances?: number;
  total_ns?: number;
}
export interface KernelsRowsCallLine {
  file?: string;
  line?: number;
  function?: string | null;
  evidence?: string;
}
export interface KernelsRowsShapes {
  op?: string | null;
  input_dims?: unknown[] | null;
  input_types?: string[] | null;
  instances?: number;
  total_ns?: number;
}
export interface KernelsRowsBound {
  t_sol_ns: number;
  s: number;
  covered: number;
  limit: string | null;
  limited_by: string;
  fits_cache: boolean;
  at_least: boolean;
  evidence: string;
}
export interface KernelsLaunches {
  total: number;
  with_line: number;
  with_op: number;
  rows: KernelsLaunchesRows[];
  gpu_times: KernelsLaunchesGpuTimes[];
}
export interface KernelsLaunchesRows {
  name: string;
  is_graph: boolean;
  launches: number;
  host_ns: number;
  host_avg_ns: number;
  call_line: KernelsLaunchesRowsCallLine | null;
  op: string | null;
}
export interface KernelsLaunchesRowsCallLine {
  file: string;
  line: number;
  function: string | null;
  evidence: string;
}
export interface KernelsLaunchesGpuTimes {
  name: string;
  is_graph: boolean;
  instances: number;
  total_ns: number;
  avg_ns: number;
  med_ns: number;
  p99_ns: number;
  min_ns: number;
  max_ns: number;
}
export interface KernelsFolded {
  label?: string;
  line_kind?: string | null;
  kernels?: number;
  largest?: string;
  time_pct?: number;
  total_ns?: number;
  instances?: number;
  avg_ns?: number | null;
  med_ns?: number | null;
  p90_ns?: number | null;
  p99_ns?: number | null;
  min_ns?: number | null;
  max_ns?: number | null;
  stddev_ns?: number | null;
}
export interface KernelsModules {
  path?: string;
  name?: string;
  depth?: number;
  time_pct?: number;
  total_ns?: number;
  self_ns?: number;
  backward_ns?: number;
  calls?: number | null;
  calls_per_pass?: number | null;
  kernels?: number;
  kernels_per_call?: number | null;
  layers?: number;
  min_layer_ns?: number;
  max_layer_ns?: number;
  max_layer?: number | null;
  outside?: boolean;
}
export interface KernelsIdle {
  total_ns?: number;
  share?: number;
  span_ns?: number;
  gaps?: number;
  longest_ns?: number;
  causes?: KernelsIdleCauses[];
}
export interface KernelsIdleCauses {
  cause?: string;
  total_ns?: number;
  share?: number;
  gaps?: number;
  of_host?: boolean;
  places?: KernelsIdleCausesPlaces[];
  places_in_all?: number;
}
export interface KernelsIdleCausesPlaces {
  op?: string | null;
  python?: string | null;
  call?: string | null;
  total_ns?: number;
  gaps?: number;
}
export interface KernelsFamilies {
  family: string;
  total_ns: number;
  instances: number;
  rows: number;
}
export interface KernelsOtherRows {
  name: string;
  kind: string;
  device: number | null;
  instances: number;
  total_ns: number;
  max_ns: number;
}
export interface KernelsGroups {
  name: string;
  members: string[];
  optional: boolean[];
  kernels: string[][];
  instances: number;
  tail_absent: number;
  total_ns: number;
  call: KernelsGroupsCall | null;
  intercept_as_one: boolean;
  evidence: string;
  why: string;
}
export interface KernelsGroupsCall {
  api: string | null;
  op: string | null;
  python: string | null;
}
export interface KernelsStructure {
  passes: number | null;
  layers: number | null;
  gemms_per_layer: number | null;
  sampled_steps: number | null;
  phases: KernelsStructurePhases;
  of_rank: string | null;
  ranks: KernelsStructureRanks[];
  decode_missing: boolean;
  decode_missing_why: string | null;
  capture_sizes: number[];
  longest_kernel_ns: number | null;
  identities: KernelsStructureIdentities[];
  split_rows: KernelsStructureSplitRows[];
  signs: string[];
}
export interface KernelsStructurePhases {
  [key: string]: KernelsStructurePhasesValue;
}
export interface KernelsStructurePhasesValue {
  passes?: number;
  total_ns?: number | null;
}
export interface KernelsStructureRanks {
  label: string;
  rank: number | null;
  passes: number;
  layers: number | null;
  total_ns: number;
}
export interface KernelsStructureIdentities {
  text: string;
  expected: number;
  actual: number;
  holds: boolean;
}
export interface KernelsStructureSplitRows {
  name: string;
  parts: KernelsStructureSplitRowsParts[];
}
export interface KernelsStructureSplitRowsParts {
  phase: string;
  instances: number;
  avg_ns: number;
}
export interface KernelsBounds {
  hardware: string | null;
  coverage: number | null;
  at_least: number | null;
  s: number | null;
  first: string | null;
  gains: KernelsBoundsGains[];
  reasons: string[];
}
export interface KernelsBoundsGains {
  what: string;
  kernel: string;
  s: number;
  share: number;
  saved_ns: number;
}
export interface KernelsHints {
  kind: string;
  text: string;
  share: number;
  total_ns: number;
  rows: string[];
}
export interface KernelsNotes {
  kind: string;
  line: number;
  text: string;
}
export interface KernelsStacks {
  line: number;
  frames: KernelsStacksFrames[];
  explains: string[];
}
export interface KernelsStacksFrames {
  file: string;
  line: number;
  function: string;
  code: string | null;
}
export interface KernelsAnswers {
  line: number;
  name: string;
  answer: string;
}
export interface KernelsDropped {
  [key: string]: number;
}
export interface KernelsRepaired {
  [key: string]: number;
}

/** the operators of two runs side by side (kernels RUN RUN2 --json) */
export interface KernelPairs {
  pairs: KernelPairsPairs[];
  only_a: KernelPairsOnlyA[];
  only_b: KernelPairsOnlyB[];
  a_total_ns: number;
  b_total_ns: number;
  a_passes: number | null;
  b_passes: number | null;
  dropped: KernelPairsDropped;
  repaired: KernelPairsRepaired;
  warnings: string[];
}
export interface KernelPairsPairs {
  operator: string;
  a_ns: number;
  b_ns: number;
  ratio: number | null;
  a_per_pass_ns: number | null;
  b_per_pass_ns: number | null;
  ratio_per_pass: number | null;
  a_instances: number;
  b_instances: number;
  a_kernels: string[];
  b_kernels: string[];
}
export interface KernelPairsOnlyA {
  operator: string;
  a_ns: number;
  b_ns: number;
  ratio: number | null;
  a_per_pass_ns: number | null;
  b_per_pass_ns: number | null;
  ratio_per_pass: number | null;
  a_instances: number;
  b_instances: number;
  a_kernels: string[];
  b_kernels: string[];
}
export interface KernelPairsOnlyB {
  operator: string;
  a_ns: number;
  b_ns: number;
  ratio: number | null;
  a_per_pass_ns: number | null;
  b_per_pass_ns: number | null;
  ratio_per_pass: number | null;
  a_instances: number;
  b_instances: number;
  a_kernels: string[];
  b_kernels: string[];
}
export interface KernelPairsDropped {
  [key: string]: number;
}
export interface KernelPairsRepaired {
  [key: string]: number;
}

/** a list with one entry per name (decode NAME --json) */
export type Decoded = DecodedItem[];
export interface DecodedItem {
  name: string;
  family: string;
  operator: string | null;
  library: string | null;
  dtype_in: string | null;
  dtype_out: string | null;
  tile: (number | null)[] | null;
  stages: number | null;
  cluster: number[] | null;
  split_k: boolean;
  kv_split: boolean;
  causal: boolean | null;
  head_dim: number | null;
  vector_width: number | null;
  warps: number | null;
  era: string | null;
  source: DecodedItemSource | null;
}
export interface DecodedItemSource {
  file: string;
  line: number | null;
  function: string | null;
  evidence: string;
}

/** the steps of the engine (cycles RUN --json) */
export interface Cycles {
  method: string | null;
  anchor: string | null;
  comparable_key: string | null;
  cycles: CyclesCycles[];
  phases: CyclesPhases[];
  dropped: CyclesDropped;
  repaired: CyclesRepaired;
  warnings: string[];
}
export interface CyclesCycles {
  index: number;
  phase: string;
  start_ns: number;
  dur_ns: number;
  pause_ns: number;
  gpu_busy_ns: number | null;
  launches: number;
  complete: boolean;
  batch: number | null;
  context_tokens: number | null;
  generation_tokens: number | null;
  tokens: number | null;
  sequences: number | null;
  context: number | null;
  evidence: string | null;
  pid: number | null;
  rank: number | null;
}
export interface CyclesPhases {
  phase: string;
  cycles: number;
  cut: number;
  med_ns: number | null;
  p99_ns: number | null;
  max_ns: number | null;
  gpu_busy: number | null;
  launches: number | null;
  tokens_per_second: number | null;
}
export interface CyclesDropped {
  [key: string]: number;
}
export interface CyclesRepaired {
  [key: string]: number;
}

/** the ranks of a job side by side (ranks RUN --json) */
export interface Ranks {
  ranks: RanksRanks[];
  collectives: RanksCollectives[];
  stragglers: RanksStragglers[];
  imbalance: RanksImbalance[];
  matched: number;
  unmatched: number;
  arrival_by: string;
  dropped: RanksDropped;
  repaired: RanksRepaired;
  warnings: string[];
}
export interface RanksRanks {
  rank: number | null;
  label: string;
  host: string | null;
  device: string | null;
  steps: number;
  step_ns: number;
  busy_ns: number | null;
  idle_ns: number | null;
  comm_ns: number | null;
  exposed_comm_ns: number | null;
  copy_ns: number | null;
  wait_ns: number;
  late_ns: number;
  was_last: number;
}
export interface RanksCollectives {
  name: string;
  bytes: number | null;
  group_size: number;
  on_device: boolean;
  count: number;
  wait_ns: number;
  rank_wait_ns: number;
  time_ns: number;
  first_rank: number | null;
  first_times: number;
  last_rank: number | null;
  last_times: number;
  bus_bytes_per_s: number | null;
  link_bytes_per_s: number | null;
}
export interface RanksStragglers {
  rank?: number | null;
  text?: string;
  cost_ns?: number;
  low_ns?: number;
  high_ns?: number;
  was_last?: number;
  of?: number;
  longer_part?: string | null;
  longer_ns?: number;
}
export interface RanksImbalance {
  operator?: string;
  ns?: number[];
  median_ns?: number;
  longest_rank?: number | null;
  extra_ns?: number;
}
export interface RanksDropped {
  [key: string]: number;
}
export interface RanksRepaired {
  [key: string]: number;
}

/** the answer of a query (sql RUN QUERY --json) */
export interface SqlAnswer {
  columns: string[];
  rows: unknown[][];
  dropped: SqlAnswerDropped;
  repaired?: SqlAnswerRepaired;
  warnings: string[];
}
export interface SqlAnswerDropped {
  [key: string]: number;
}
export interface SqlAnswerRepaired {
  [key: string]: number;
}

/** what was written (patterns RUN -o PREFIX --json) */
export interface Patterns {
  files: string[];
  rows: number;
  cycles: number;
  cut: number;
  averaged_cycles: number;
  cycle_ns: number;
  gpu_idle_ns: number;
  classes: PatternsClasses[];
  counters: PatternsCounters[];
  dropped: PatternsDropped;
  repaired: PatternsRepaired;
  warnings: string[];
}
export interface PatternsClasses {
  class: string;
  plain_ns_per_cycle: number;
  union_ns_per_cycle: number;
}
export interface PatternsCounters {
  counter: string;
  device: string;
  pid: number | null;
  samples: number;
  coverage: number | null;
  interpolated: number;
  unknown: number;
}
export interface PatternsDropped {
  [key: string]: number;
}
export interface PatternsRepaired {
  [key: string]: number;
}

/** what a recording holds (info RUN --json) */
export interface Info {
  source: string;
  sources: InfoSources[];
  slices: number;
  kernels: number;
  counters: number;
  instants: number;
  links: number;
  patterns: number;
  origin_ns: string | null;
  span_ns: number;
  devices: InfoDevices[];
  processes: InfoProcesses[];
  clocks: InfoClocks[];
  kinds: InfoKinds;
  series: InfoSeries[];
  dropped: InfoDropped;
  repaired: InfoRepaired;
  warnings: string[];
  remarks: string[];
}
export interface InfoSources {
  path: string;
  kind: string;
  bytes: number | null;
  rank: number | null;
  host: string | null;
}
export interface InfoDevices {
  id: number;
  host: string | null;
  index: number | null;
  name: string | null;
  uuid: string | null;
  rank: number | null;
}
export interface InfoProcesses {
  id: number;
  pid: string;
  os_pid: number | null;
  name: string | null;
  labels: string | null;
  host: string | null;
  rank: number | null;
  world_size: number | null;
  container: string | null;
}
export interface InfoClocks {
  source: string;
  rank: number | null;
  method: string;
  offset_ns: number;
  drift_ppm: number;
  points: number;
  residual_ns: number | null;
}
export interface InfoKinds {
  [key: string]: number;
}
export interface InfoSeries {
  name: string;
  field: string | null;
  device: string | null;
  host: string | null;
  unit: string | null;
}
export interface InfoDropped {
  [key: string]: number;
}
export interface InfoRepaired {
  [key: string]: number;
}

/** what was read (import FILE -o RUN --json) */
export interface Imported {
  slices: number;
  kernels: number;
  counters: number;
  seconds: number;
  bytes_in: number;
  bytes_out: number;
  dropped: ImportedDropped;
  repaired: ImportedRepaired;
  warnings: string[];
}
export interface ImportedDropped {
  [key: string]: number;
}
export interface ImportedRepaired {
  [key: string]: number;
}

/** what changed between two runs (compare NORMAL ABNORMAL --json) */
export interface Comparison {
  labels: string[];
  comparable: boolean;
  comparability: ComparisonComparability;
  change: ComparisonChange | null;
  verdict: ComparisonVerdict;
  where: ComparisonWhere[];
  why: ComparisonWhy[];
  seen: ComparisonSeen[];
  evidence: string[];
  not_known: string[];
  next: ComparisonNext[];
  step_ms: number[][];
  rows: ComparisonRows[];
  dropped: ComparisonDropped;
  repaired: ComparisonRepaired;
  warnings: string[];
}
export interface ComparisonComparability {
  reasons: string[];
  anchors: (string | null)[];
  launches_per_cycle: (number | null)[];
  kernel_jaccard: number | null;
  aligned_by: string | null;
}
export interface ComparisonChange {
  ratio: number | null;
  low: number | null;
  high: number | null;
  phase: string | null;
  unit: string;
  mean: ComparisonChangeMean;
  p99: ComparisonChangeP99 | null;
  shape: string;
  by_phase: ComparisonChangeByPhase[];
  by_rank: ComparisonChangeByRank[];
}
export interface ComparisonChangeMean {
  ratio: number | null;
  low: number | null;
  high: number | null;
}
export interface ComparisonChangeP99 {
  ratio: number | null;
  low: number | null;
  high: number | null;
  quantile: number | null;
}
export interface ComparisonChangeByPhase {
  ratio: number | null;
  low: number | null;
  high: number | null;
  phase: string;
  n: number[];
  step_ns: number[];
  pause_ns: number[];
  share: number | null;
  mean: ComparisonChangeByPhaseMean;
}
export interface ComparisonChangeByPhaseMean {
  ratio: number | null;
  low: number | null;
  high: number | null;
}
export interface ComparisonChangeByRank {
  ratio: number | null;
  low: number | null;
  high: number | null;
  rank: number | null;
  label: string;
  phase: string;
}
export interface ComparisonVerdict {
  class: string;
  resource: string | null;
  device: string | null;
  phase: string | null;
  rank: number | null;
  felt: string;
  explains: number | null;
  reason: string | null;
  confidence: string;
  text: string;
  also: string[];
}
export interface ComparisonWhere {
  what: string;
  kind: string;
  phase: string | null;
  state: string;
  delta_ns_per_cycle: number | null;
  share: number | null;
  ratio: number | null;
  count_ratio: number | null;
  each_ratio: number | null;
  q: number | null;
}
export interface ComparisonWhy {
  counter: string;
  device: string;
  unit: string | null;
  normal: number | null;
  abnormal: number | null;
  ratio: number | null;
  low: number | null;
  high: number | null;
  q: number | null;
  role: string;
  samples: number[];
  coverage: (number | null)[];
}
export interface ComparisonSeen {
  class: string;
  resource: string | null;
  device: string | null;
  text: string;
}
export interface ComparisonNext {
  text: string;
  command: string | null;
}
export interface ComparisonRows {
  function: string;
  metric: string;
  device: string;
  suspicion: number | null;
  beta: (number | null)[];
  beta_z: number | null;
  beta_p: number | null;
  beta_u_p: number | null;
  mu: (number | null)[];
  mu_z: number | null;
  log_mu_z: number | null;
  mu_p: number | null;
  mu_u_p: number | null;
}
export interface ComparisonDropped {
  [key: string]: number;
}
export interface ComparisonRepaired {
  [key: string]: number;
}

/** processes of many runs compared with each other (compare --roles RUN... --json) */
export interface Roles {
  roles: RolesRoles[];
  clusters: RolesClusters[];
  pairs: RolesPairs[];
  threshold: number;
  dropped: RolesDropped;
  repaired: RolesRepaired;
  warnings: string[];
}
export interface RolesRoles {
  label: string;
  pid: number;
  compared: boolean;
}
export interface RolesClusters {
  representative: string;
  members: string[];
}
export interface RolesPairs {
  first: string;
  second: string;
  suspicion: number;
  alert: boolean;
}
export interface RolesDropped {
  [key: string]: number;
}
export interface RolesRepaired {
  [key: string]: number;
}

/** a list with one entry per operator (operators --json) */
export type Operators = OperatorsItem[];
export interface OperatorsItem {
  name: string;
  id: string;
  dtype: string;
  importance: number;
  shapes: number;
  profiles: number;
  phase: string;
  origin: string | null;
}

/** a catalogue made from runs (mine RUN... --json) */
export interface Mined {
  method: string;
  runs: MinedRuns[];
  operators: MinedOperators[];
  what_if: MinedWhatIf[];
  dropped: MinedDropped;
  repaired: MinedRepaired;
  warnings: string[];
}
export interface MinedRuns {
  run: string;
  hardware: string | null;
  total_ns: number;
  coverage: number;
  reasons: string[];
}
export interface MinedOperators {
  name: string;
  importance: number;
  s: number | null;
  calls: number;
  total_ns: number;
  runs: number;
  shapes: MinedOperatorsShapes[];
}
export interface MinedOperatorsShapes {
  id: string;
  op: string;
  label: string;
  dtype: string;
  params: MinedOperatorsShapesParams;
  phase: string | null;
  share: number;
  calls: number;
  at_least: boolean;
  times: MinedOperatorsShapesTimes[];
}
export interface MinedOperatorsShapesParams {
  [key: string]: number;
}
export interface MinedOperatorsShapesTimes {
  hardware: string | null;
  calls: number;
  total_ns: number;
  med_ns: number;
  t_sol_ns: number | null;
  s: number | null;
  limit: string | null;
  limited_by: string | null;
}
export interface MinedWhatIf {
  operator: string;
  s: number;
  s_now: number | null;
  share: number;
  saved: number;
}
export interface MinedDropped {
  [key: string]: number;
}
export interface MinedRepaired {
  [key: string]: number;
}

/** bounds of the catalogue (roofline --json) */
export interface Roofline {
  model: string;
  rows: RooflineRows[];
  operators: RooflineOperators[];
  scores: RooflineScores;
  importance_sum: number;
  hardware: RooflineHardware[];
  launch_floor_ns: RooflineLaunchFloorNs;
  formulas: RooflineFormulas[];
  warnings: string[];
  dropped: RooflineDropped;
}
export interface RooflineRows {
  operator: string;
  shape: string;
  label: string;
  framework: string | null;
  tp: number | null;
  phase: string | null;
  W: number;
  Q_read: number;
  Q_write: number;
  work: RooflineRowsWork[];
  ai: number;
  regime: string;
  t_sol_ns: RooflineRowsTSolNs;
  limit: RooflineRowsLimit;
  limited_by: RooflineRowsLimitedBy;
  t_prod_ns: RooflineRowsTProdNs;
  t_prod_by: RooflineRowsTProdBy;
  s: RooflineRowsS;
  s_printed: RooflineRowsSPrinted;
  s_with_launch: RooflineRowsSWithLaunch;
}
export interface RooflineRowsWork {
  engine: string;
  dtype: string;
  flops: number;
}
export interface RooflineRowsTSolNs {
  [key: string]: number | null;
}
export interface RooflineRowsLimit {
  [key: string]: string | null;
}
export interface RooflineRowsLimitedBy {
  [key: string]: string | null;
}
export interface RooflineRowsTProdNs {
  [key: string]: number | null;
}
export interface RooflineRowsTProdBy {
  [key: string]: string | null;
}
export interface RooflineRowsS {
  [key: string]: number | null;
}
export interface RooflineRowsSPrinted {
  [key: string]: number | null;
}
export interface RooflineRowsSWithLaunch {
  [key: string]: number | null;
}
export interface RooflineOperators {
  name: string;
  id: string;
  dtype: string;
  importance: number;
  shapes: number;
  regime: string;
  middle_shape: string;
  median_s: RooflineOperatorsMedianS;
  median_s_printed: RooflineOperatorsMedianSPrinted;
}
export interface RooflineOperatorsMedianS {
  [key: string]: number | null;
}
export interface RooflineOperatorsMedianSPrinted {
  [key: string]: number | null;
}
export interface RooflineScores {
  [key: string]: RooflineScoresValue;
}
export interface RooflineScoresValue {
  weighted_s?: number | null;
  weighted_s_unnormalised?: number | null;
  weighted_s_with_launch?: number | null;
  covered_importance?: number;
  timed_shapes?: number;
}
export interface RooflineHardware {
  name: string;
  arch: string | null;
  memory_bandwidth: number;
  launch_floor_ns: number | null;
  launch_floor_from: string | null;
}
export interface RooflineLaunchFloorNs {
  [key: string]: number | null;
}
export interface RooflineFormulas {
  operator: string;
  W: string | null;
  Q_read: string | null;
  Q_write: string | null;
  strict: string | null;
}
export interface RooflineDropped {
}

/** results of a benchmark (bench --json) */
export interface Bench {
  format: string;
  hardware: BenchHardware;
  results: BenchResults[];
  score: BenchScore | null;
  warnings: string[];
  dropped: BenchDropped;
}
export interface BenchHardware {
  name: string;
  profile: string | null;
  driver: string | null;
  date: string;
  card?: string | null;
  memory_bandwidth: number | null;
}
export interface BenchResults {
  operator: string;
  shape: string;
  candidate: string;
  content: string | null;
  options: string | null;
  status: string;
  reason: string | null;
  note: string | null;
  max_rel_err: number | null;
  checked: number;
  mismatch: number;
  slack_used: number | null;
  tolerance: string | null;
  variant: string | null;
  failure: BenchResultsFailure | null;
  t_ns: number | null;
  t_low_ns: number | null;
  t_high_ns: number | null;
  confidence: number | null;
  samples: number[];
  rounds: number[];
  t_sol_ns: number | null;
  s: number | null;
  launch_floor_ns: number | null;
  s_with_launch: number | null;
  clock_noise_ns: number | null;
  touch_floor_ns: number | null;
  copy_ns: number | null;
  sm_clock_mhz: number | null;
  throttled: number;
  seconds?: number | null;
  rival: BenchResultsRival | null;
  rivals?: BenchResultsRivals[];
  rivals_date?: string | null;
}
export interface BenchResultsFailure {
  checked: number;
  wrong: number;
  first: BenchResultsFailureFirst[];
  inputs: BenchResultsFailureInputs[];
  pattern: string[];
  mistakes: BenchResultsFailureMistakes[];
}
export interface BenchResultsFailureFirst {
  output: string;
  indices: number[];
  got: unknown;
  expected: unknown;
  allowed: string;
}
export interface BenchResultsFailureInputs {
  name: string;
  indices: number[];
  values: unknown[];
}
export interface BenchResultsFailureMistakes {
  name: string;
  text: string;
}
export interface BenchResultsRival {
  name: string;
  t_ns: number;
}
export interface BenchResultsRivals {
  name?: string;
  t_ns?: number | null;
  t_low_ns?: number | null;
  t_high_ns?: number | null;
  samples?: number[];
  how?: string | null;
  note?: string | null;
  differs?: number | null;
  skipped?: string | null;
}
export interface BenchScore {
  weighted_s: number | null;
  weighted_s_with_launch: number | null;
  covered_importance: number;
}
export interface BenchDropped {
}

/** a list with one entry per thing that was checked (check --json) */
export type Checks = ChecksItem[];
export interface ChecksItem {
  item: string;
  state: string;
  fix: string | null;
  found?: string | null;
  for?: string | null;
}

/** what was recorded (record -o RUN --json -- COMMAND) */
export interface Recorded {
  output: string;
  seconds: number;
  bytes_out: number;
  records: number;
  ended_by: string;
  exit_code: number | null;
  processes: RecordedProcesses[];
  host: RecordedHost | null;
  meters: RecordedMeters[];
  injections: RecordedInjections[];
  trigger: string | null;
  dropped: RecordedDropped;
  warnings: string[];
  remarks: string[];
}
export interface RecordedProcesses {
  pid: number;
  command: string;
  rank: number | null;
  launches: number | null;
  graph_launches: number | null;
  copies: number | null;
  waits: number | null;
  gpu_times: number | null;
  kernels: number;
  gpu_times_left_out: number;
  gpu_clock_residual_ns: number | null;
  agent_share: number | null;
}
export interface RecordedHost {
  threads?: number;
  turns?: number;
  slices?: number;
  launches?: number;
}
export interface RecordedMeters {
  name: string;
  device: string;
  readings: number;
  wanted_hz: number;
  hz: number | null;
  cost_ns: number;
  limited_by: string;
}
export interface RecordedInjections {
  scenario: string;
  intensity: number;
  shape: string;
  seconds: number;
}
export interface RecordedDropped {
  [key: string]: number;
}

/** what came of full mode in a recording that runs (record --pid PID --mode full --json) */
export interface RecordedWindow {
  output: string;
  recorder_pid: number;
  from_ns: number;
  to_ns: number;
  kernels: number;
  dropped: RecordedWindowDropped;
  warnings: string[];
}
export interface RecordedWindowDropped {
}

/** what a process does (top PROCESS --once --json) */
export interface Top {
  pid: number;
  command: string;
  ended: boolean;
  seconds: number;
  processes: number;
  threads: number;
  steps_per_second: number | null;
  step_ns: number | null;
  slowest_step_ns: number | null;
  gpu_busy: number | null;
  launches_per_second: number | null;
  graphs_per_second: number | null;
  copies_per_second: number | null;
  kernels: TopKernels[];
  calls: TopCalls[];
  host: TopHost[] | null;
  meters: TopMeters[];
  dropped: TopDropped;
  warnings: string[];
}
export interface TopKernels {
  name: string;
  per_second: number;
  call_share: number | null;
}
export interface TopCalls {
  what: string;
  share: number;
}
export interface TopHost {
  what: string;
  share: number;
}
export interface TopMeters {
  name: string;
  place: string;
  unit: string;
  value: number;
}
export interface TopDropped {
  [key: string]: number;
}

/** what the gate did (gate --json -- COMMAND) */
export interface Gate {
  pid: number;
  policy: string;
  max_hold_ns: number;
  changes: number;
  refused: number;
  classes: GateClasses[];
  clients: GateClients[];
  dropped: GateDropped;
  warnings: unknown[];
}
export interface GateClasses {
  name: string;
  closed: boolean;
  admitted: number | null;
  held: number;
  held_ns: number;
  expired: number;
  rested: number;
  longest_ns: number;
  latest_ns: number;
  queued: number;
  queued_ns: number;
  cost_ns: number | null;
  waiting: number;
  unfinished: number | null;
}
export interface GateClients {
  pid: number;
  tag: string | null;
  rank: number | null;
  world_size: number | null;
  may_be_held: boolean;
}
export interface GateDropped {
}

/** which kernels follow others in their launch group (gate groups RUN --json) */
export interface GateGroups {
  members: GateGroupsMembers[];
  left_out: GateGroupsLeftOut[];
  file: string | null;
  dropped: GateGroupsDropped;
  repaired: GateGroupsRepaired;
  warnings: string[];
}
export interface GateGroupsMembers {
  word: string;
  following: number;
  launches: number;
  kernels: string[];
}
export interface GateGroupsLeftOut {
  word: string;
  following: number;
  launches: number;
  kernels: string[];
  why: string;
}
export interface GateGroupsDropped {
  [key: string]: number;
}
export interface GateGroupsRepaired {
  [key: string]: number;
}

/** what a policy would do with a recording (gate explain RUN --policy P --json) */
export interface GateExplained {
  policy: string;
  says: string;
  max_hold_ns: number;
  classes: GateExplainedClasses[];
  unclassified: number;
  notes: string[];
  dropped: GateExplainedDropped;
  repaired: GateExplainedRepaired;
  warnings: string[];
}
export interface GateExplainedClasses {
  name: string;
  launches: number;
  graphs: number;
  heads: number;
  members: number;
  collectives: number;
  units: number;
  gpu_ns: number;
  longest_ns: number;
  longest: string | null;
  longest_unit_ns: number;
  depth: number;
  residual_ns: number | null;
}
export interface GateExplainedDropped {
  [key: string]: number;
}
export interface GateExplainedRepaired {
  [key: string]: number;
}

/** what it would have made of it (gate simulate RUN --policy P --json) */
export interface GateSimulated {
  policy: string;
  sharing: string;
  slice_ns: number;
  switch_ns: number;
  handover_ns: number;
  rates: GateSimulatedRates[];
  no_gate_off: number;
  runs: GateSimulatedRuns[];
  notes: string[];
  dropped: GateSimulatedDropped;
  repaired: GateSimulatedRepaired;
  warnings: string[];
}
export interface GateSimulatedRates {
  process: number;
  rate: number;
}
export interface GateSimulatedRuns {
  run: string;
  took_ns: number;
  classes: GateSimulatedRunsClasses[];
}
export interface GateSimulatedRunsClasses {
  name: string;
  units: number;
  between_p50_ns: number | null;
  between_p99_ns: number | null;
  units_per_s: number | null;
  launches: number;
  held: number;
  held_ns: number;
  expired: number;
  rested: number;
  queued: number;
}
export interface GateSimulatedDropped {
  [key: string]: number;
}
export interface GateSimulatedRepaired {
  [key: string]: number;
}

/** what a watch came to, at its end (watch RUN --json) */
export interface Watch {
  source: string;
  interrupted: boolean;
  streams: WatchStreams[];
  streams_left_out: number;
  alerts: WatchAlerts[];
  sinks: WatchSinks[];
  dropped: WatchDropped;
  warnings: string[];
}
export interface WatchStreams {
  stream: string;
  rank: number | null;
  steps: number;
  judged: number;
  unknown_work: number;
  new_work: number;
  ready: boolean;
  error: number | null;
  spread: number | null;
  episodes: number;
  alerts: number;
  extra_ns: number;
  total_ns: number;
}
export interface WatchAlerts {
  event: string;
  time_ns: string;
  stream: string;
  rank: number | null;
  phase: string;
  model: string;
  step: number;
  text: string;
  episode: WatchAlertsEpisode;
  ended: boolean;
  number: number;
  cause: string | null;
  verdict: string | null;
  recording: string | null;
  normal: string | null;
  command: string | null;
  comparison: unknown;
}
export interface WatchAlertsEpisode {
  since_ns: string;
  noticed_ns: string;
  last_ns: string;
  first_step: number;
  noticed_step: number;
  steps: number;
  busy_ns: number;
  extra_ns: number;
  ratio: number;
  low: number;
  high: number;
  shape: string;
  period_steps: number | null;
}
export interface WatchSinks {
  name: string;
  delivered: number;
  failed: number;
  dropped: number;
}
export interface WatchDropped {
}

/** scores of the model and the rules (watch --evaluate CSV --json) */
export interface WatchEvaluation {
  file: string;
  jobs: number;
  steps: number;
  steps_with_prompts: number;
  streams_tested: number;
  not_sound: string[];
  decode_error: WatchEvaluationDecodeError;
  learning: WatchEvaluationLearning[];
  quiet: WatchEvaluationQuiet[];
  middle: WatchEvaluationMiddle[];
  middle_sound: unknown[];
  anywhere: unknown[];
  f1: WatchEvaluationF1[];
  jumps: number;
  jumps_with_alarm: number;
  made_up: WatchEvaluationMadeUp[];
  ns_per_step: number;
  coefficients: number[];
  dropped: WatchEvaluationDropped;
  warnings: string[];
}
export interface WatchEvaluationDecodeError {
  held_out_jobs: number | null;
  held_out_sound_jobs: number | null;
  held_out_workloads: number | null;
}
export interface WatchEvaluationLearning {
  steps: number;
  error: number;
  worst_fold: number;
}
export interface WatchEvaluationQuiet {
  what: string;
  steps: number;
  hours: number;
  episodes: number;
  alerts: number;
  not_judged: number;
}
export interface WatchEvaluationMiddle {
  injected: string;
  factor: number;
  cases: number;
  found: number;
  delay_steps: number | null;
  delay_ms: number | null;
  size_error: number | null;
  shape_right: number | null;
}
export interface WatchEvaluationF1 {
  rule: string;
  factor: number;
  f1: number;
  precision: number;
  recall: number;
  lag: number;
}
export interface WatchEvaluationMadeUp {
  name: string;
  quiet: unknown;
  decode_error: number | null;
  prompt_error: number | null;
  found_10: number;
  delay_10: number | null;
  found_20: number;
  delay_20: number | null;
}
export interface WatchEvaluationDropped {
  [key: string]: number;
}

/** what was injected (inject SCENARIO --json) */
export interface Injected {
  scenario: string;
  seconds: number;
  intensity: number;
  shape: string;
  plan: InjectedPlan;
  ending: string | null;
  problem: string | null;
  started_ns: string | null;
  begin_ns: string | null;
  end_ns: string | null;
  dose: InjectedDose | null;
  dropped: InjectedDropped;
  warnings: unknown[];
}
export interface InjectedPlan {
  cores: number;
  memory_bytes: number;
  file_bytes: number;
  bytes_per_s: number | null;
  text: string;
}
export interface InjectedDose {
  seconds?: number;
  cores?: number;
  bytes?: number;
  bytes_per_s?: number | null;
  most_bytes?: number;
  operations?: number;
  stopped_share?: number;
}
export interface InjectedDropped {
}

/** what can be injected (inject --list --json) */
export interface Scenarios {
  scenarios: ScenariosScenarios[];
  not_built: ScenariosNotBuilt[];
  dropped: ScenariosDropped;
  warnings: unknown[];
}
export interface ScenariosScenarios {
  name: string;
  what: string;
  moves: string;
}
export interface ScenariosNotBuilt {
  name: string;
  why: string;
}
export interface ScenariosDropped {
}

/** all of this (schema --json) */
export interface Schema {
  documents: SchemaDocuments[];
  dropped: SchemaDropped;
  warnings: unknown[];
}
export interface SchemaDocuments {
  command: string;
  what: string;
  fields: SchemaDocumentsFields[];
}
export interface SchemaDocumentsFields {
  path: string;
  type: string;
  may_be_null: boolean;
  is_always_there: boolean;
  unit: string | null;
  meaning: string;
}
export interface SchemaDropped {
}

/** what was injected, and whether it was found (drill --json -- COMMAND) */
export interface Drill {
  recording: string;
  rows: DrillRows[];
  scenarios: DrillScenarios[];
  felt: DrillFelt;
  rests: DrillRests;
  dropped: DrillDropped;
  warnings: string[];
}
export interface DrillRows {
  scenario: string;
  intensity: number;
  shape: string;
  refused: string | null;
  problem: string | null;
  begin_ns: number | null;
  end_ns: number | null;
  cores: number | null;
  bytes_per_s: number | null;
  steps: number;
  normal_steps: number;
  ratio: number | null;
  low: number | null;
  high: number | null;
  mean_ratio: number | null;
  mean_low: number | null;
  mean_high: number | null;
  windows_ratio: number | null;
  windows_low: number | null;
  windows_high: number | null;
  windows_mean_ratio: number | null;
  windows_mean_low: number | null;
  windows_mean_high: number | null;
  slower: string;
  doubt: string | null;
  watched_steps: number;
  detected_steps: number | null;
  detected_s: number | null;
  alert_s: number | null;
  in_alert_before: boolean;
  named: string | null;
  accepted: string[];
  seen: string[];
  text: string;
  grade: string;
  normal_file: string | null;
  injected_file: string | null;
}
export interface DrillScenarios {
  scenario: string;
  intensity: number;
  repeats: number;
  ratio: number | null;
  low: number | null;
  high: number | null;
  mean_ratio: number | null;
  mean_low: number | null;
  mean_high: number | null;
  slower: string;
  detected: number;
  alerts: number;
  named: string | null;
  named_rightly: number;
  grade: string;
}
export interface DrillFelt {
  injections: number;
  detected: number;
  right: number;
}
export interface DrillRests {
  watched_steps: number;
  episodes: number;
  alerts: number;
  alerted: DrillRestsAlerted[];
  ready: boolean;
  windows: number;
  window_low: number | null;
  window_high: number | null;
}
export interface DrillRestsAlerted {
  since_ns: number;
  called_ns: number;
  ratio: number;
  low: number | null;
  high: number | null;
}
export interface DrillDropped {
}

/** what a page is (tactus-head) */
export interface PageHead {
  version: number;
  mode: string;
  open: string;
  title: string;
  tactus: string;
  documents: string[];
  warnings: string[];
}

/** the runs of a page (runs) */
export type Runs = RunsItem[];
export interface RunsItem {
  index: number;
  name: string;
  kind: string;
  holds: string | null;
  rows: number;
  span_ns: number | null;
  live: boolean;
  generation: number;
}

/** a run in a few sentences (overview) */
export interface Overview {
  sentence: string;
  lines: OverviewLines[];
  next: string[];
  remarks: string[];
  warnings: string[];
}
export interface OverviewLines {
  label: string;
  text: string;
}

/** tracks, counters and names (timeline) */
export interface Timeline {
  origin_ns: string;
  start_ns: number;
  span_ns: number;
  names: string[];
  short_names: string[];
  families: string[];
  family_of_name: number[];
  tracks: TimelineTracks[];
  counters: TimelineCounters[];
  tiles: boolean;
  whole_from_ns: number;
  whole_to_ns: number;
  warnings: string[];
}
export interface TimelineTracks {
  id: number;
  kind: string;
  label: string;
  group: string;
  host: string | null;
  rank: number | null;
  device: number | null;
  pid: number | null;
  tid: number | null;
  depth: number;
  count: number;
}
export interface TimelineCounters {
  id: number;
  name: string;
  unit: string | null;
  device: string | null;
  count: number;
}

/** launches by stack (flame) */
export interface Flame {
  kind: string;
  nodes: FlameNodes[];
  warnings: string[];
}
export interface FlameNodes {
  name: string;
  parent: number;
  launches: number;
  device_ns: number;
}

/** one slice (slice) */
export interface Slice {
  row: number;
  name: string;
  kind: string;
  track: number | null;
  start_ns: number;
  dur_ns: number;
  args: SliceArgs;
  op: string | null;
  shapes: unknown;
  python: string | null;
  module: string | null;
  launched_by: number | null;
  launches: number[];
}
export interface SliceArgs {
  [key: string]: unknown;
}

/** names that hold a text (search) */
export interface Search {
  names: SearchNames[];
  total: number;
}
export interface SearchNames {
  name: number;
  count: number;
}

/** By document and path of the field: its unit and what it means. */
export const fieldMeanings: Record<string, Record<string, readonly [unit: string, meaning: string]>> = {
  Kernels: {
    "total_ns": ["ns", "time of all kernels; null where only launches were recorded"],
    "whole_ns": ["ns", "time of the larger table that these are the top rows of"],
    "coverage": ["", "what is known, as shares of the GPU time"],
    "coverage.source": ["0..1", "the line or file that launches is known"],
    "coverage.operator": ["0..1", "the computation is known"],
    "coverage.shape": ["0..1", "the shapes of the inputs are known"],
    "coverage.bound": ["0..1", "a bound is known"],
    "coverage.by_evidence": ["", "coverage.source by evidence"],
    "coverage.by_evidence.stack": ["0..1", "from the Python stack of the launch"],
    "coverage.by_evidence.capture": ["0..1", "from the capture of the graph"],
    "coverage.by_evidence.note": ["0..1", "from what the author of a table typed"],
    "coverage.by_evidence.rule": ["0..1", "by rule or guess from the name"],
    "coverage.replayed": ["0..1", "replayed by a CUDA graph"],
    "coverage.unattributed": ["0..1", "nothing is known about the launch"],
    "rows": ["", "one per kernel name, by descending time"],
    "rows[]": ["", "one of them"],
    "rows[].name": ["", "the kernel's full name"],
    "rows[].family": ["", "kind of work: \"gemm\", \"attention\", \"norm\", ..."],
    "rows[].operator": ["", "what it computes: \"gemm\", \"rms_norm\", \"silu_and_mul\""],
    "rows[].library": ["", "who made it: \"cublas\", \"pytorch\", \"triton\""],
    "rows[].dtype_in": ["", "type of the inputs: \"bf16\""],
    "rows[].dtype_out": ["", "type of the outputs"],
    "rows[].tile": ["", "tile of a thread block: m, n, k"],
    "rows[].tile[]": ["", "one of them; null if the name does not give it"],
    "rows[].stages": ["", "stages of its pipeline"],
    "rows[].cluster": ["", "thread blocks of a cluster: x, y, z"],
    "rows[].cluster[]": ["", "one of them"],
    "rows[].split_k": ["", "a split-K GEMM: a kernel that adds up the parts follows"],
    "rows[].kv_split": ["", "attention over parts of the keys: a kernel that combines the parts follows"],
    "rows[].causal": ["", "attention with a causal mask"],
    "rows[].head_dim": ["", "size of an attention head"],
    "rows[].vector_width": ["", "elements that a thread loads at once"],
    "rows[].warps": ["", "warps that the name gives"],
    "rows[].era": ["", "age of the library, as far as the name shows it"],
    "rows[].source": ["", "the line of code that launches it"],
    "rows[].source.file": ["", "file, as in its project"],
    "rows[].source.line": ["", "line in that file"],
    "rows[].source.function": ["", "function in that file"],
    "rows[].source.line_kind": ["", "call: the line that launches; def: where its function begins"],
    "rows[].source.evidence": ["", "how it is known: stack, capture, note, rule or guess"],
    "rows[].rule_agrees": ["", "only with evidence \"note\": our rule names the same file"],
    "rows[].op": ["", "the framework op that launches it, for most of the time: \"aten::mm\""],
    "rows[].module": ["", "the nn.Module around it, for most of the time"],
    "rows[].input_dims": ["", "dims of the op's inputs, of the shape with most time"],
    "rows[].input_dims[]": ["", "dims of one input"],
    "rows[].input_types": ["", "types of these inputs"],
    "rows[].input_types[]": ["", "type of one input"],
    "rows[].sources": ["", "all lines that launch it, by descending time, at most 20"],
    "rows[].sources[]": ["", "one of them"],
    "rows[].sources[].file": ["", "file"],
    "rows[].sources[].line": ["", "line"],
    "rows[].sources[].function": ["", "function"],
    "rows[].sources[].line_kind": ["", "as in source"],
    "rows[].sources[].evidence": ["", "as in source"],
    "rows[].sources[].instances": ["", "launches from there"],
    "rows[].sources[].total_ns": ["ns", "time of these"],
    "rows[].call_line": ["", "the line that was running, where the recording has it"],
    "rows[].call_line.file": ["", "file"],
    "rows[].call_line.line": ["", "line"],
    "rows[].call_line.function": ["", "function"],
    "rows[].call_line.evidence": ["", "stack, capture or note"],
    "rows[].source_count": ["", "how many lines there are, listed or not"],
    "rows[].shapes": ["", "all ops and input shapes, by descending time, at most 20"],
    "rows[].shapes[]": ["", "one of them"],
    "rows[].shapes[].op": ["", "the framework op"],
    "rows[].shapes[].input_dims": ["", "dims of its inputs"],
    "rows[].shapes[].input_dims[]": ["", "dims of one input"],
    "rows[].shapes[].input_types": ["", "types of its inputs"],
    "rows[].shapes[].input_types[]": ["", "type of one input"],
    "rows[].shapes[].instances": ["", "launches with it"],
    "rows[].shapes[].total_ns": ["ns", "time of these"],
    "rows[].shape_count": ["", "how many shapes there are, listed or not"],
    "rows[].time_pct": ["%", "share of all kernel time"],
    "rows[].total_ns": ["ns", "time of all launches"],
    "rows[].instances": ["", "launches"],
    "rows[].avg_ns": ["ns", "mean of a launch"],
    "rows[].med_ns": ["ns", "median of a launch"],
    "rows[].p90_ns": ["ns", "9 of 10 launches are not longer; null for a table"],
    "rows[].p99_ns": ["ns", "99 of 100 launches are not longer; null for a table"],
    "rows[].min_ns": ["ns", "shortest launch"],
    "rows[].max_ns": ["ns", "longest launch"],
    "rows[].stddev_ns": ["ns", "standard deviation"],
    "rows[].grid": ["", "blocks of a launch: x, y, z; of a table with this column"],
    "rows[].grid[]": ["", "one of them"],
    "rows[].block": ["", "threads of a block, likewise"],
    "rows[].block[]": ["", "one of them"],
    "rows[].bound": ["", "the least time that the machine needs for this row"],
    "rows[].bound.t_sol_ns": ["ns", "sum of the bounds of the launches that have one"],
    "rows[].bound.s": ["", "t_sol_ns over the time of these launches"],
    "rows[].bound.covered": ["0..1", "share of the row's time that has a bound"],
    "rows[].bound.limit": ["", "what sets it: compute, memory or launch; null: a link"],
    "rows[].bound.limited_by": ["", "what sets it: compute, memory, launch or link"],
    "rows[].bound.fits_cache": ["", "all data fits the cache, so s may be above 1"],
    "rows[].bound.at_least": ["", "only what is certain counts; the true s is higher"],
    "rows[].bound.evidence": ["", "what shows the shapes: shapes, inner_ops or annotation"],
    "launches": ["", "of a light recording, which has no times of kernels"],
    "launches.total": ["", "launches of kernels and graphs"],
    "launches.with_line": ["", "of these, with a known line of code"],
    "launches.with_op": ["", "of these, with a known op"],
    "launches.rows": ["", "one per kernel or graph, line and op, by launches"],
    "launches.rows[]": ["", "one of them"],
    "launches.rows[].name": ["", "the kernel's name, or the graph and its nodes"],
    "launches.rows[].is_graph": ["", "a whole CUDA graph"],
    "launches.rows[].launches": ["", "how often"],
    "launches.rows[].host_ns": ["ns", "time of the host in these calls"],
    "launches.rows[].host_avg_ns": ["ns", "its mean"],
    "launches.rows[].call_line": ["", "the line of code that ran"],
    "launches.rows[].call_line.file": ["", "file"],
    "launches.rows[].call_line.line": ["", "line"],
    "launches.rows[].call_line.function": ["", "function"],
    "launches.rows[].call_line.evidence": ["", "how it is known"],
    "launches.rows[].op": ["", "the framework op: \"aten::mm\""],
    "launches.gpu_times": ["", "steps and graphs on the device, from the start of the first work to the end of the last"],
    "launches.gpu_times[]": ["", "those of one name"],
    "launches.gpu_times[].name": ["", "\"step\", or the graph and its nodes"],
    "launches.gpu_times[].is_graph": ["", "a whole CUDA graph; else a step"],
    "launches.gpu_times[].instances": ["", "how many times were taken"],
    "launches.gpu_times[].total_ns": ["ns", "their sum"],
    "launches.gpu_times[].avg_ns": ["ns", "their mean"],
    "launches.gpu_times[].med_ns": ["ns", "their median"],
    "launches.gpu_times[].p99_ns": ["ns", "of 100, 99 are shorter"],
    "launches.gpu_times[].min_ns": ["ns", "the shortest"],
    "launches.gpu_times[].max_ns": ["ns", "the longest"],
    "folded": ["", "with --by: one row per family, operator, source or group"],
    "folded[]": ["", "one of them"],
    "folded[].label": ["", "what its kernels have in common"],
    "folded[].line_kind": ["", "of a source: call or def"],
    "folded[].kernels": ["", "different kernel names"],
    "folded[].largest": ["", "the name with most of the time"],
    "folded[].time_pct": ["%", "share of all kernel time"],
    "folded[].total_ns": ["ns", "time of all launches"],
    "folded[].instances": ["", "launches"],
    "folded[].avg_ns": ["ns", "mean of a launch"],
    "folded[].med_ns": ["ns", "median of a launch"],
    "folded[].p90_ns": ["ns", "9 of 10 launches are not longer"],
    "folded[].p99_ns": ["ns", "99 of 100 launches are not longer"],
    "folded[].min_ns": ["ns", "shortest launch"],
    "folded[].max_ns": ["ns", "longest launch"],
    "folded[].stddev_ns": ["ns", "standard deviation"],
    "modules_from": ["", "with --by module: what shows the modules"],
    "modules": ["", "with --by module: the tree, outer modules first"],
    "modules[]": ["", "one of them"],
    "modules[].path": ["", "all names from the outermost on"],
    "modules[].name": ["", "its own name"],
    "modules[].depth": ["", "modules around it"],
    "modules[].time_pct": ["%", "share of all kernel time"],
    "modules[].total_ns": ["ns", "kernels inside it"],
    "modules[].self_ns": ["ns", "of that, not inside a module of its own"],
    "modules[].backward_ns": ["ns", "of that, in the backward pass"],
    "modules[].calls": ["", "calls"],
    "modules[].calls_per_pass": ["", "calls per forward pass"],
    "modules[].kernels": ["", "launches"],
    "modules[].kernels_per_call": ["", "launches per call"],
    "modules[].layers": ["", "modules that are folded into this row"],
    "modules[].min_layer_ns": ["ns", "shortest of them"],
    "modules[].max_layer_ns": ["ns", "longest of them"],
    "modules[].max_layer": ["", "which one that is"],
    "modules[].outside": ["", "kernels without a module"],
    "idle": ["", "why the devices idle; of a trace"],
    "idle.total_ns": ["ns", "idle time, of each process that uses a device"],
    "idle.share": ["0..1", "of span_ns"],
    "idle.span_ns": ["ns", "from the first work to the last, or the steps asked for"],
    "idle.gaps": ["", "times that a device idled"],
    "idle.longest_ns": ["ns", "the longest gap"],
    "idle.causes": ["", "they add up to total_ns, longest first"],
    "idle.causes[]": ["", "one of them"],
    "idle.causes[].cause": ["", "what the thread did that launched next"],
    "idle.causes[].total_ns": ["ns", "its time"],
    "idle.causes[].share": ["0..1", "of span_ns"],
    "idle.causes[].gaps": ["", "gaps in which it occurs"],
    "idle.causes[].of_host": ["", "the device waits for the host"],
    "idle.causes[].places": ["", "where the host was, at most 50"],
    "idle.causes[].places[]": ["", "one of them"],
    "idle.causes[].places[].op": ["", "the innermost framework op"],
    "idle.causes[].places[].python": ["", "the innermost Python function"],
    "idle.causes[].places[].call": ["", "the innermost call into runtime, driver or system"],
    "idle.causes[].places[].total_ns": ["ns", "its time"],
    "idle.causes[].places[].gaps": ["", "gaps in which it occurs"],
    "idle.causes[].places_in_all": ["", "how many places there are, listed or not"],
    "families": ["", "sums per family, largest first"],
    "families[]": ["", "one of them"],
    "families[].family": ["", "the family"],
    "families[].total_ns": ["ns", "its time"],
    "families[].instances": ["", "its launches"],
    "families[].rows": ["", "its kernel names"],
    "other_rows": ["", "device work that is not a kernel: copies, sets"],
    "other_rows[]": ["", "one of them"],
    "other_rows[].name": ["", "as the profiler calls it"],
    "other_rows[].kind": ["", "kind of slice: \"gpu_memcpy\""],
    "other_rows[].device": ["", "id of the device"],
    "other_rows[].instances": ["", "how often"],
    "other_rows[].total_ns": ["ns", "time of all"],
    "other_rows[].max_ns": ["ns", "the longest"],
    "groups": ["", "kernels that one call launches together"],
    "groups[]": ["", "one of them"],
    "groups[].name": ["", "what they do together"],
    "groups[].members": ["", "their names, in order"],
    "groups[].members[]": ["", "one of them"],
    "groups[].optional": ["", "whether a member may be absent, in the same order"],
    "groups[].optional[]": ["", "one of them"],
    "groups[].kernels": ["", "all names that occur in the place of each member"],
    "groups[].kernels[]": ["", "of one member"],
    "groups[].kernels[][]": ["", "one of them"],
    "groups[].instances": ["", "how often the group occurs"],
    "groups[].tail_absent": ["", "of these, without the optional part"],
    "groups[].total_ns": ["ns", "time of all"],
    "groups[].call": ["", "the call that launches it"],
    "groups[].call.api": ["", "the call of CUDA or HIP"],
    "groups[].call.op": ["", "the framework op"],
    "groups[].call.python": ["", "the Python frame"],
    "groups[].intercept_as_one": ["", "one call launches all of it"],
    "groups[].evidence": ["", "trace, counts or rule"],
    "groups[].why": ["", "the reason, in a sentence"],
    "structure": ["", "what a step is made of"],
    "structure.passes": ["", "forward passes, of one rank: each runs its part of them"],
    "structure.layers": ["", "layers per pass"],
    "structure.gemms_per_layer": ["", "GEMMs per layer"],
    "structure.sampled_steps": ["", "steps that sampled a token"],
    "structure.phases": ["", "by phase: prefill, decode, ..."],
    "structure.phases.*": ["", "one of them"],
    "structure.phases.*.passes": ["", "passes of this phase"],
    "structure.phases.*.total_ns": ["ns", "their time"],
    "structure.of_rank": ["", "the rank whose passes and times these are: the one with most; null if the run has one"],
    "structure.ranks": ["", "all ranks with passes, if the run has several"],
    "structure.ranks[]": ["", "one of them"],
    "structure.ranks[].label": ["", "rank 1; GPU 1 where ranks are not known"],
    "structure.ranks[].rank": ["", "its number"],
    "structure.ranks[].passes": ["", "forward passes"],
    "structure.ranks[].layers": ["", "layers per pass"],
    "structure.ranks[].total_ns": ["ns", "their time"],
    "structure.decode_missing": ["", "a table that cannot show the decode steps"],
    "structure.decode_missing_why": ["", "the reason"],
    "structure.capture_sizes": ["", "batch sizes of captured graphs"],
    "structure.capture_sizes[]": ["", "one of them"],
    "structure.longest_kernel_ns": ["ns", "the longest launch of all"],
    "structure.identities": ["", "equations between counts of a table"],
    "structure.identities[]": ["", "one of them"],
    "structure.identities[].text": ["", "the equation"],
    "structure.identities[].expected": ["", "what it gives"],
    "structure.identities[].actual": ["", "what the table has"],
    "structure.identities[].holds": ["", "whether they agree"],
    "structure.split_rows": ["", "rows that mix phases"],
    "structure.split_rows[]": ["", "one of them"],
    "structure.split_rows[].name": ["", "the kernel"],
    "structure.split_rows[].parts": ["", "its parts"],
    "structure.split_rows[].parts[]": ["", "one of them"],
    "structure.split_rows[].parts[].phase": ["", "phase of the part"],
    "structure.split_rows[].parts[].instances": ["", "launches of the part"],
    "structure.split_rows[].parts[].avg_ns": ["ns", "mean of a launch"],
    "structure.signs": ["", "what the names show about the machine and the software"],
    "structure.signs[]": ["", "one of them"],
    "bounds": ["", "how fast the kernels could be"],
    "bounds.hardware": ["", "the machine whose limits count"],
    "bounds.coverage": ["0..1", "share of the GPU time with a bound"],
    "bounds.at_least": ["0..1", "share whose bound counts only what is certain"],
    "bounds.s": ["", "of all others with a bound together"],
    "bounds.first": ["", "what to improve first, in a sentence"],
    "bounds.gains": ["", "what could be saved, largest first, at most 20"],
    "bounds.gains[]": ["", "one of them"],
    "bounds.gains[].what": ["", "op and shape"],
    "bounds.gains[].kernel": ["", "the kernel with most of its time"],
    "bounds.gains[].s": ["", "as in rows"],
    "bounds.gains[].share": ["0..1", "its share of the GPU time"],
    "bounds.gains[].saved_ns": ["ns", "saved at the bound"],
    "bounds.reasons": ["", "why the rest has no bound, in sentences"],
    "bounds.reasons[]": ["", "one of them"],
    "hints": ["", "what may be worth changing"],
    "hints[]": ["", "one of them"],
    "hints[].kind": ["", "copies, kv_write, fills, small_grids or tails"],
    "hints[].text": ["", "a sentence or two"],
    "hints[].share": ["0..1", "of the GPU time"],
    "hints[].total_ns": ["ns", "the time it is about"],
    "hints[].rows": ["", "names of the kernels it comes from"],
    "hints[].rows[]": ["", "one of them"],
    "notes": ["", "text around a kernel table"],
    "notes[]": ["", "one of them"],
    "notes[].kind": ["", "traceback, table or text"],
    "notes[].line": ["", "line of the file"],
    "notes[].text": ["", "the text"],
    "inconsistencies": ["", "what does not add up in a table, in sentences"],
    "inconsistencies[]": ["", "one of them"],
    "stacks": ["", "tracebacks that the author of a table pasted"],
    "stacks[]": ["", "one of them"],
    "stacks[].line": ["", "line of the file"],
    "stacks[].frames": ["", "its frames"],
    "stacks[].frames[]": ["", "one of them"],
    "stacks[].frames[].file": ["", "file"],
    "stacks[].frames[].line": ["", "line"],
    "stacks[].frames[].function": ["", "function"],
    "stacks[].frames[].code": ["", "the line of code"],
    "stacks[].explains": ["", "names of the kernels it launches"],
    "stacks[].explains[]": ["", "one of them"],
    "answers": ["", "questions in the notes of a table, answered"],
    "answers[]": ["", "one of them"],
    "answers[].line": ["", "line of the file"],
    "answers[].name": ["", "the kernel"],
    "answers[].answer": ["", "the answer"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  KernelPairs: {
    "pairs": ["", "operators of both runs"],
    "pairs[]": ["", "one of them"],
    "pairs[].operator": ["", "the operator"],
    "pairs[].a_ns": ["ns", "its time in the first run"],
    "pairs[].b_ns": ["ns", "its time in the second run"],
    "pairs[].ratio": ["", "second over first"],
    "pairs[].a_per_pass_ns": ["ns", "its time per forward pass of the first run"],
    "pairs[].b_per_pass_ns": ["ns", "the same of the second run"],
    "pairs[].ratio_per_pass": ["", "second over first, per forward pass"],
    "pairs[].a_instances": ["", "launches in the first run"],
    "pairs[].b_instances": ["", "launches in the second run"],
    "pairs[].a_kernels": ["", "its kernels in the first run"],
    "pairs[].a_kernels[]": ["", "one of them"],
    "pairs[].b_kernels": ["", "its kernels in the second run"],
    "pairs[].b_kernels[]": ["", "one of them"],
    "only_a": ["", "operators of the first run only"],
    "only_a[]": ["", "one of them"],
    "only_a[].operator": ["", "the operator"],
    "only_a[].a_ns": ["ns", "its time in the first run"],
    "only_a[].b_ns": ["ns", "its time in the second run"],
    "only_a[].ratio": ["", "second over first"],
    "only_a[].a_per_pass_ns": ["ns", "its time per forward pass of the first run"],
    "only_a[].b_per_pass_ns": ["ns", "the same of the second run"],
    "only_a[].ratio_per_pass": ["", "second over first, per forward pass"],
    "only_a[].a_instances": ["", "launches in the first run"],
    "only_a[].b_instances": ["", "launches in the second run"],
    "only_a[].a_kernels": ["", "its kernels in the first run"],
    "only_a[].a_kernels[]": ["", "one of them"],
    "only_a[].b_kernels": ["", "its kernels in the second run"],
    "only_a[].b_kernels[]": ["", "one of them"],
    "only_b": ["", "operators of the second run only"],
    "only_b[]": ["", "one of them"],
    "only_b[].operator": ["", "the operator"],
    "only_b[].a_ns": ["ns", "its time in the first run"],
    "only_b[].b_ns": ["ns", "its time in the second run"],
    "only_b[].ratio": ["", "second over first"],
    "only_b[].a_per_pass_ns": ["ns", "its time per forward pass of the first run"],
    "only_b[].b_per_pass_ns": ["ns", "the same of the second run"],
    "only_b[].ratio_per_pass": ["", "second over first, per forward pass"],
    "only_b[].a_instances": ["", "launches in the first run"],
    "only_b[].b_instances": ["", "launches in the second run"],
    "only_b[].a_kernels": ["", "its kernels in the first run"],
    "only_b[].a_kernels[]": ["", "one of them"],
    "only_b[].b_kernels": ["", "its kernels in the second run"],
    "only_b[].b_kernels[]": ["", "one of them"],
    "a_total_ns": ["ns", "all kernels of the first run"],
    "b_total_ns": ["ns", "all kernels of the second run"],
    "a_passes": ["", "forward passes of the first run"],
    "b_passes": ["", "forward passes of the second run"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Decoded: {
    "[]": ["", "what one name says"],
    "[].name": ["", "the name as given"],
    "[].family": ["", "kind of work: \"gemm\", \"attention\", \"norm\", ..."],
    "[].operator": ["", "what it computes: \"gemm\", \"rms_norm\", \"silu_and_mul\""],
    "[].library": ["", "who made it: \"cublas\", \"pytorch\", \"triton\""],
    "[].dtype_in": ["", "type of the inputs: \"bf16\""],
    "[].dtype_out": ["", "type of the outputs"],
    "[].tile": ["", "tile of a thread block: m, n, k"],
    "[].tile[]": ["", "one of them; null if the name does not give it"],
    "[].stages": ["", "stages of its pipeline"],
    "[].cluster": ["", "thread blocks of a cluster: x, y, z"],
    "[].cluster[]": ["", "one of them"],
    "[].split_k": ["", "a split-K GEMM: a kernel that adds up the parts follows"],
    "[].kv_split": ["", "attention over parts of the keys: a kernel that combines the parts follows"],
    "[].causal": ["", "attention with a causal mask"],
    "[].head_dim": ["", "size of an attention head"],
    "[].vector_width": ["", "elements that a thread loads at once"],
    "[].warps": ["", "warps that the name gives"],
    "[].era": ["", "age of the library, as far as the name shows it"],
    "[].source": ["", "the line of code that launches it"],
    "[].source.file": ["", "file, as in its project"],
    "[].source.line": ["", "line in that file"],
    "[].source.function": ["", "function in that file"],
    "[].source.evidence": ["", "how it is known: stack, capture, note, rule or guess"],
  },
  Cycles: {
    "method": ["", "what the cycles were found with"],
    "anchor": ["", "the annotation, function or op that marks a cycle"],
    "comparable_key": ["", "runs with the same key have comparable cycles"],
    "cycles": ["", "all cycles, in order"],
    "cycles[]": ["", "one of them"],
    "cycles[].index": ["", "its number"],
    "cycles[].phase": ["", "prefill, decode, mixed or unknown"],
    "cycles[].start_ns": ["ns", "from the start of the recording"],
    "cycles[].dur_ns": ["ns", "how long it took"],
    "cycles[].pause_ns": ["ns", "behind it until the next one begins, where nothing tells what happened"],
    "cycles[].gpu_busy_ns": ["ns", "of that, kernels ran"],
    "cycles[].launches": ["", "kernels"],
    "cycles[].complete": ["", "false: cut off by the start or end of the recording"],
    "cycles[].batch": ["", "requests, as the engine says"],
    "cycles[].context_tokens": ["", "tokens of prompts, as the engine says"],
    "cycles[].generation_tokens": ["", "generated tokens, as the engine says"],
    "cycles[].tokens": ["", "tokens computed"],
    "cycles[].sequences": ["", "sequences that took part"],
    "cycles[].context": ["", "tokens that they attend to"],
    "cycles[].evidence": ["", "what shows the work"],
    "cycles[].pid": ["", "process"],
    "cycles[].rank": ["", "rank"],
    "phases": ["", "sums per phase"],
    "phases[]": ["", "one of them"],
    "phases[].phase": ["", "the phase"],
    "phases[].cycles": ["", "complete cycles"],
    "phases[].cut": ["", "cycles that are cut off"],
    "phases[].med_ns": ["ns", "median of a cycle"],
    "phases[].p99_ns": ["ns", "99 of 100 are not longer; below 100 cycles an estimate, see max_ns"],
    "phases[].max_ns": ["ns", "the longest cycle"],
    "phases[].gpu_busy": ["0..1", "share of the time in which kernels ran"],
    "phases[].launches": ["", "median of the kernels per cycle"],
    "phases[].tokens_per_second": ["1/s", "tokens computed per second"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Ranks: {
    "ranks": ["", "the average whole step of each rank"],
    "ranks[]": ["", "one of them"],
    "ranks[].rank": ["", "its number"],
    "ranks[].label": ["", "rank 1, or its pid where ranks are not known"],
    "ranks[].host": ["", "its host, where the recording names it"],
    "ranks[].device": ["", "its device"],
    "ranks[].steps": ["", "whole steps"],
    "ranks[].step_ns": ["ns", "mean of a step; busy_ns and idle_ns add up to it"],
    "ranks[].busy_ns": ["ns", "per step, something runs"],
    "ranks[].idle_ns": ["ns", "per step, nothing runs"],
    "ranks[].comm_ns": ["ns", "per step, inside collectives"],
    "ranks[].exposed_comm_ns": ["ns", "of that, while no kernel computes"],
    "ranks[].copy_ns": ["ns", "per step, copies to and from the device"],
    "ranks[].wait_ns": ["ns", "per step, inside collectives before the last rank came"],
    "ranks[].late_ns": ["ns", "per step, later than the rank before it when it was last"],
    "ranks[].was_last": ["", "collectives for which it came last"],
    "collectives": ["", "by kind and size, longest wait first"],
    "collectives[]": ["", "one of them"],
    "collectives[].name": ["", "what it does"],
    "collectives[].bytes": ["bytes", "of the whole message"],
    "collectives[].group_size": ["", "ranks that take part"],
    "collectives[].on_device": ["", "kernels do it, not the host"],
    "collectives[].count": ["", "found in all their ranks"],
    "collectives[].wait_ns": ["ns", "from the first arrival to the last, of all together"],
    "collectives[].rank_wait_ns": ["ns", "what all ranks together waited"],
    "collectives[].time_ns": ["ns", "after the last has come, of all together"],
    "collectives[].first_rank": ["", "came first most often"],
    "collectives[].first_times": ["", "how often"],
    "collectives[].last_rank": ["", "came last most often"],
    "collectives[].last_times": ["", "how often"],
    "collectives[].bus_bytes_per_s": ["bytes/s", "what each link carries in time_ns"],
    "collectives[].link_bytes_per_s": ["bytes/s", "what the device can send"],
    "stragglers": ["", "ranks that come later than the others do, by more than chance"],
    "stragglers[]": ["", "one of them"],
    "stragglers[].rank": ["", "its number"],
    "stragglers[].text": ["", "what it costs and why, in sentences"],
    "stragglers[].cost_ns": ["ns", "per step"],
    "stragglers[].low_ns": ["ns", "95% interval of it, from"],
    "stragglers[].high_ns": ["ns", "to"],
    "stragglers[].was_last": ["", "collectives for which it came last"],
    "stragglers[].of": ["", "of so many"],
    "stragglers[].longer_part": ["", "the part in which it exceeds the others most"],
    "stragglers[].longer_ns": ["ns", "by this much per step"],
    "imbalance": ["", "operators that take longer on one rank, largest first"],
    "imbalance[]": ["", "one of them"],
    "imbalance[].operator": ["", "the op that launches, or what the kernel computes"],
    "imbalance[].ns": ["", "per step, in the order of ranks"],
    "imbalance[].ns[]": ["ns", "of one rank"],
    "imbalance[].median_ns": ["ns", "of the other ranks"],
    "imbalance[].longest_rank": ["", "the rank that takes longest"],
    "imbalance[].extra_ns": ["ns", "it takes longer than the median"],
    "matched": ["", "collectives that were found in all their ranks"],
    "unmatched": ["", "calls of collectives that were not"],
    "arrival_by": ["", "time, or duration where the clocks of the ranks differ"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  SqlAnswer: {
    "columns": ["", "names of the columns"],
    "columns[]": ["", "one of them"],
    "rows": ["", "the rows of the answer"],
    "rows[]": ["", "the values of a row, in the order of the columns"],
    "rows[][]": ["", "text, number or null"],
    "dropped": ["", "what was left out of the recording, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Patterns: {
    "files": ["", "the files that were written"],
    "files[]": ["", "one of them"],
    "rows": ["", "rows of the patterns"],
    "cycles": ["", "cycles in them"],
    "cut": ["", "cycles that were cut off and left out"],
    "averaged_cycles": ["", "cycles that means are made of"],
    "cycle_ns": ["ns", "mean of a cycle"],
    "gpu_idle_ns": ["ns", "of that, no kernel ran"],
    "classes": ["", "sums per class of functions"],
    "classes[]": ["", "one of them"],
    "classes[].class": ["", "the class"],
    "classes[].plain_ns_per_cycle": ["ns", "sum of durations"],
    "classes[].union_ns_per_cycle": ["ns", "time in which at least one ran"],
    "counters": ["", "the counters"],
    "counters[]": ["", "one of them"],
    "counters[].counter": ["", "its name"],
    "counters[].device": ["", "its device"],
    "counters[].pid": ["", "its process"],
    "counters[].samples": ["", "samples in the cycles"],
    "counters[].coverage": ["0..1", "share of the time with samples"],
    "counters[].interpolated": ["", "cycles without a sample of their own"],
    "counters[].unknown": ["", "cycles without a value"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Info: {
    "source": ["", "kind of the first source"],
    "sources": ["", "the files it was made from"],
    "sources[]": ["", "one of them"],
    "sources[].path": ["", "its path"],
    "sources[].kind": ["", "its format"],
    "sources[].bytes": ["bytes", "its size"],
    "sources[].rank": ["", "rank"],
    "sources[].host": ["", "host"],
    "slices": ["", "things that ran for some time"],
    "kernels": ["", "of these, kernels"],
    "counters": ["", "samples of counters"],
    "instants": ["", "things that happened at one time"],
    "links": ["", "links from launches to kernels and similar"],
    "patterns": ["", "rows of patterns, if the source is a result already"],
    "origin_ns": ["", "time of the start, as text because it may exceed 2^53"],
    "span_ns": ["ns", "from the first to the last event"],
    "devices": ["", "devices"],
    "devices[]": ["", "one of them"],
    "devices[].id": ["", "its id in Tactus"],
    "devices[].host": ["", "host"],
    "devices[].index": ["", "the number that its process gives it"],
    "devices[].name": ["", "as the driver reports it"],
    "devices[].uuid": ["", "uuid"],
    "devices[].rank": ["", "rank that uses it"],
    "processes": ["", "processes that have slices"],
    "processes[]": ["", "one of them"],
    "processes[].id": ["", "its id in Tactus"],
    "processes[].pid": ["", "as the source gives it"],
    "processes[].os_pid": ["", "as a number"],
    "processes[].name": ["", "its name"],
    "processes[].labels": ["", "its labels"],
    "processes[].host": ["", "host"],
    "processes[].rank": ["", "rank"],
    "processes[].world_size": ["", "ranks of its job"],
    "processes[].container": ["", "container"],
    "clocks": ["", "how the clock of each source maps to the run's"],
    "clocks[]": ["", "one of them"],
    "clocks[].source": ["", "the source"],
    "clocks[].rank": ["", "rank"],
    "clocks[].method": ["", "how it was found"],
    "clocks[].offset_ns": ["ns", "added to its times"],
    "clocks[].drift_ppm": ["ppm", "how much faster it runs"],
    "clocks[].points": ["", "points used"],
    "clocks[].residual_ns": ["ns", "how far they are off"],
    "kinds": ["", "slices by kind"],
    "kinds.*": ["", "how many"],
    "series": ["", "counters"],
    "series[]": ["", "one of them"],
    "series[].name": ["", "its name"],
    "series[].field": ["", "the field of the sample"],
    "series[].device": ["", "its device"],
    "series[].host": ["", "host"],
    "series[].unit": ["", "unit"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
    "remarks": ["", "how it was recorded, in sentences: what its mode or its machine does not give"],
    "remarks[]": ["", "one of them"],
  },
  Imported: {
    "slices": ["", "slices read"],
    "kernels": ["", "of these, kernels"],
    "counters": ["", "samples of counters"],
    "seconds": ["s", "how long it took"],
    "bytes_in": ["bytes", "read"],
    "bytes_out": ["bytes", "written"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Comparison: {
    "labels": ["", "names of the two runs"],
    "labels[]": ["", "one of them"],
    "comparable": ["", "a change can be stated, also after alignment"],
    "comparability": ["", "the facts about that"],
    "comparability.reasons": ["", "why they are not comparable"],
    "comparability.reasons[]": ["", "one of them"],
    "comparability.anchors": ["", "what marks a step in each run"],
    "comparability.anchors[]": ["", "one of them"],
    "comparability.launches_per_cycle": ["", "kernels per step in each run"],
    "comparability.launches_per_cycle[]": ["", "one of them"],
    "comparability.kernel_jaccard": ["0..1", "share of kernel names that both have"],
    "comparability.aligned_by": ["", "how steps were paired"],
    "change": ["", "how much slower"],
    "change.ratio": ["", "abnormal over normal"],
    "change.low": ["", "lower end of its interval"],
    "change.high": ["", "upper end of its interval"],
    "change.phase": ["", "the phase that it is about"],
    "change.unit": ["", "what was compared"],
    "change.mean": ["", "the same of means"],
    "change.mean.ratio": ["", "abnormal over normal"],
    "change.mean.low": ["", "lower end of its interval"],
    "change.mean.high": ["", "upper end of its interval"],
    "change.p99": ["", "the same of the tail"],
    "change.p99.ratio": ["", "abnormal over normal"],
    "change.p99.low": ["", "lower end of its interval"],
    "change.p99.high": ["", "upper end of its interval"],
    "change.p99.quantile": ["0..1", "which tail"],
    "change.shape": ["", "how the change is spread: every, some, drift, jump or none"],
    "change.by_phase": ["", "the same per phase"],
    "change.by_phase[]": ["", "one of them"],
    "change.by_phase[].ratio": ["", "abnormal over normal"],
    "change.by_phase[].low": ["", "lower end of its interval"],
    "change.by_phase[].high": ["", "upper end of its interval"],
    "change.by_phase[].phase": ["", "the phase"],
    "change.by_phase[].n": ["", "steps in each run"],
    "change.by_phase[].n[]": ["", "one of them"],
    "change.by_phase[].step_ns": ["", "mean length of a step of the same work, in each run"],
    "change.by_phase[].step_ns[]": ["ns", "one of them"],
    "change.by_phase[].pause_ns": ["", "between a step and the next, in each run, where nothing tells what happened"],
    "change.by_phase[].pause_ns[]": ["ns", "one of them"],
    "change.by_phase[].share": ["0..1", "share of the normal time"],
    "change.by_phase[].mean": ["", "the same of means"],
    "change.by_phase[].mean.ratio": ["", "abnormal over normal"],
    "change.by_phase[].mean.low": ["", "lower end of its interval"],
    "change.by_phase[].mean.high": ["", "upper end of its interval"],
    "change.by_rank": ["", "the same per rank and phase"],
    "change.by_rank[]": ["", "one of them"],
    "change.by_rank[].ratio": ["", "abnormal over normal"],
    "change.by_rank[].low": ["", "lower end of its interval"],
    "change.by_rank[].high": ["", "upper end of its interval"],
    "change.by_rank[].rank": ["", "the rank"],
    "change.by_rank[].label": ["", "its name"],
    "change.by_rank[].phase": ["", "the phase"],
    "verdict": ["", "what it comes to"],
    "verdict.class": ["", "class of the cause"],
    "verdict.resource": ["", "the counter or function that shows it"],
    "verdict.device": ["", "where"],
    "verdict.phase": ["", "in which phase"],
    "verdict.rank": ["", "on which rank"],
    "verdict.felt": ["", "slower, faster, same or unknown"],
    "verdict.explains": ["0..1", "share of the change that it explains"],
    "verdict.reason": ["", "why nothing can be said: too_few, too_noisy, ..."],
    "verdict.confidence": ["", "high, medium or low"],
    "verdict.text": ["", "the verdict in a sentence"],
    "verdict.also": ["", "other causes"],
    "verdict.also[]": ["", "class of one"],
    "where": ["", "what takes more or less time"],
    "where[]": ["", "one of them"],
    "where[].what": ["", "kernel, function or part of the step"],
    "where[].kind": ["", "which of these"],
    "where[].phase": ["", "phase"],
    "where[].state": ["", "changed, new or gone"],
    "where[].delta_ns_per_cycle": ["ns", "more time per step"],
    "where[].share": ["0..1", "of the whole change"],
    "where[].ratio": ["", "abnormal over normal"],
    "where[].count_ratio": ["", "of how often it ran"],
    "where[].each_ratio": ["", "of the time of one"],
    "where[].q": ["", "chance that a change this large is noise, corrected for many tests"],
    "why": ["", "counters that moved"],
    "why[]": ["", "one of them"],
    "why[].counter": ["", "its name"],
    "why[].device": ["", "its device"],
    "why[].unit": ["", "of its levels, if it is known"],
    "why[].normal": ["", "its level in the normal run"],
    "why[].abnormal": ["", "its level in the other run"],
    "why[].ratio": ["", "abnormal over normal"],
    "why[].low": ["", "lower end of its interval"],
    "why[].high": ["", "upper end of its interval"],
    "why[].q": ["", "as in where"],
    "why[].role": ["", "cause or symptom"],
    "why[].samples": ["", "samples in each run"],
    "why[].samples[]": ["", "one of them"],
    "why[].coverage": ["", "share of the steps of each run that contain a sample"],
    "why[].coverage[]": ["0..1", "one of them"],
    "seen": ["", "causes whose counters moved while nothing that they slow became slower"],
    "seen[]": ["", "one of them"],
    "seen[].class": ["", "class of the cause"],
    "seen[].resource": ["", "resource"],
    "seen[].device": ["", "where"],
    "seen[].text": ["", "in a sentence"],
    "evidence": ["", "what the verdict rests on, in sentences"],
    "evidence[]": ["", "one of them"],
    "not_known": ["", "what was not recorded"],
    "not_known[]": ["", "one of them"],
    "next": ["", "what to do next"],
    "next[]": ["", "one of them"],
    "next[].text": ["", "in a sentence"],
    "next[].command": ["", "a command for it"],
    "step_ms": ["", "times of the steps of each run"],
    "step_ms[]": ["", "of one run"],
    "step_ms[][]": ["ms", "of one step"],
    "rows": ["", "rows of the classic report: with --classic, or of per-cycle CSV"],
    "rows[]": ["", "one of them"],
    "rows[].function": ["", "function"],
    "rows[].metric": ["", "counter"],
    "rows[].device": ["", "device"],
    "rows[].suspicion": ["", "score"],
    "rows[].beta": ["", "share of time in each run"],
    "rows[].beta[]": ["", "one of them"],
    "rows[].beta_z": ["", "its change in standard deviations"],
    "rows[].beta_p": ["", "p-value, Welch"],
    "rows[].beta_u_p": ["", "p-value, Mann-Whitney"],
    "rows[].mu": ["", "level of the counter in each run"],
    "rows[].mu[]": ["", "one of them"],
    "rows[].mu_z": ["", "its change in standard deviations"],
    "rows[].log_mu_z": ["", "the same of logarithms"],
    "rows[].mu_p": ["", "p-value, Welch"],
    "rows[].mu_u_p": ["", "p-value, Mann-Whitney"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Roles: {
    "roles": ["", "processes that were compared"],
    "roles[]": ["", "one of them"],
    "roles[].label": ["", "its name in reports"],
    "roles[].pid": ["", "its process"],
    "roles[].compared": ["", "false: no row of it names a metric"],
    "clusters": ["", "roles that behave alike"],
    "clusters[]": ["", "one such group"],
    "clusters[].representative": ["", "the role whose cycles vary least"],
    "clusters[].members": ["", "its roles"],
    "clusters[].members[]": ["", "one of them"],
    "pairs": ["", "representatives that differ, most first"],
    "pairs[]": ["", "one pair"],
    "pairs[].first": ["", "a role"],
    "pairs[].second": ["", "another role"],
    "pairs[].suspicion": ["", "the highest score of their report"],
    "pairs[].alert": ["", "the score is above the threshold of alerts"],
    "threshold": ["", "roles whose score is below it are alike"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recordings"],
    "warnings[]": ["", "one of them"],
  },
  Operators: {
    "[]": ["", "one operator"],
    "[].name": ["", "its name"],
    "[].id": ["", "its id in the catalogue"],
    "[].dtype": ["", "its main type"],
    "[].importance": ["", "how much production time it takes"],
    "[].shapes": ["", "shapes in the catalogue"],
    "[].profiles": ["", "profiles that it occurs in"],
    "[].phase": ["", "prefill, decode or both"],
    "[].origin": ["", "where it comes from"],
  },
  Mined: {
    "method": ["", "how importance is computed, in a sentence"],
    "runs": ["", "the runs"],
    "runs[]": ["", "one of them"],
    "runs[].run": ["", "its name"],
    "runs[].hardware": ["", "its machine"],
    "runs[].total_ns": ["ns", "all its kernels"],
    "runs[].coverage": ["0..1", "share of that with a bound"],
    "runs[].reasons": ["", "why the rest has none"],
    "runs[].reasons[]": ["", "one of them"],
    "operators": ["", "the operators, by importance"],
    "operators[]": ["", "one of them"],
    "operators[].name": ["", "its name"],
    "operators[].importance": ["", "share of the GPU time of all runs"],
    "operators[].s": ["", "its distance to the bound"],
    "operators[].calls": ["", "calls in all runs"],
    "operators[].total_ns": ["ns", "their time"],
    "operators[].runs": ["", "runs that it occurs in"],
    "operators[].shapes": ["", "its shapes, by time"],
    "operators[].shapes[]": ["", "one of them"],
    "operators[].shapes[].id": ["", "its id"],
    "operators[].shapes[].op": ["", "the framework op"],
    "operators[].shapes[].label": ["", "the shape in words"],
    "operators[].shapes[].dtype": ["", "its type"],
    "operators[].shapes[].params": ["", "its parameters, as in cost_formulas"],
    "operators[].shapes[].params.*": ["", "one of them"],
    "operators[].shapes[].phase": ["", "the phase it occurs in"],
    "operators[].shapes[].share": ["0..1", "of the operator's time"],
    "operators[].shapes[].calls": ["", "calls"],
    "operators[].shapes[].at_least": ["", "its bounds count only what is certain"],
    "operators[].shapes[].times": ["", "per machine"],
    "operators[].shapes[].times[]": ["", "one of them"],
    "operators[].shapes[].times[].hardware": ["", "the machine"],
    "operators[].shapes[].times[].calls": ["", "calls"],
    "operators[].shapes[].times[].total_ns": ["ns", "their time"],
    "operators[].shapes[].times[].med_ns": ["ns", "median of a call"],
    "operators[].shapes[].times[].t_sol_ns": ["ns", "its bound"],
    "operators[].shapes[].times[].s": ["", "its distance to the bound"],
    "operators[].shapes[].times[].limit": ["", "compute, memory or launch; null: a link"],
    "operators[].shapes[].times[].limited_by": ["", "compute, memory, launch or link"],
    "what_if": ["", "answers to --what-if"],
    "what_if[]": ["", "one of them"],
    "what_if[].operator": ["", "the operator"],
    "what_if[].s": ["", "the distance to the bound that was asked about"],
    "what_if[].s_now": ["", "what it is now"],
    "what_if[].share": ["0..1", "of the GPU time"],
    "what_if[].saved": ["0..1", "of the GPU time"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the runs"],
    "warnings[]": ["", "one of them"],
  },
  Roofline: {
    "model": ["", "catalogue or strict"],
    "rows": ["", "one per shape"],
    "rows[]": ["", "one of them"],
    "rows[].operator": ["", "the operator"],
    "rows[].shape": ["", "id of the shape"],
    "rows[].label": ["", "the shape in words"],
    "rows[].framework": ["", "where its time was measured"],
    "rows[].tp": ["", "tensor parallel size"],
    "rows[].phase": ["", "phase"],
    "rows[].W": ["FLOP", "operations"],
    "rows[].Q_read": ["bytes", "bytes read"],
    "rows[].Q_write": ["bytes", "bytes written"],
    "rows[].work": ["", "operations per engine and type"],
    "rows[].work[]": ["", "one of them"],
    "rows[].work[].engine": ["", "tensor or vector"],
    "rows[].work[].dtype": ["", "type"],
    "rows[].work[].flops": ["FLOP", "operations"],
    "rows[].ai": ["FLOP/byte", "arithmetic intensity"],
    "rows[].regime": ["", "C: compute, M: memory, I: integer"],
    "rows[].t_sol_ns": ["", "the bound, by machine"],
    "rows[].t_sol_ns.*": ["ns", "of one machine"],
    "rows[].limit": ["", "what sets it, by machine: compute, memory or launch"],
    "rows[].limit.*": ["", "of one machine; null: a link"],
    "rows[].limited_by": ["", "the same, or link"],
    "rows[].limited_by.*": ["", "of one machine"],
    "rows[].t_prod_ns": ["", "time in production, by machine"],
    "rows[].t_prod_ns.*": ["ns", "of one machine"],
    "rows[].t_prod_by": ["", "who measured it, by machine"],
    "rows[].t_prod_by.*": ["", "of one machine"],
    "rows[].s": ["", "t_sol_ns over t_prod_ns, by machine"],
    "rows[].s.*": ["", "of one machine"],
    "rows[].s_printed": ["", "the same from rounded times, as published, by machine"],
    "rows[].s_printed.*": ["", "of one machine"],
    "rows[].s_with_launch": ["", "the same with the launch floor in the bound, by machine"],
    "rows[].s_with_launch.*": ["", "of one machine"],
    "operators": ["", "sums per operator"],
    "operators[]": ["", "one of them"],
    "operators[].name": ["", "its name"],
    "operators[].id": ["", "its id in the catalogue"],
    "operators[].dtype": ["", "its main type"],
    "operators[].importance": ["", "how much production time it takes"],
    "operators[].shapes": ["", "its shapes"],
    "operators[].regime": ["", "as in rows"],
    "operators[].middle_shape": ["", "the shape in the middle of its list"],
    "operators[].median_s": ["", "median of s, by machine"],
    "operators[].median_s.*": ["", "of one machine"],
    "operators[].median_s_printed": ["", "median of s_printed, by machine"],
    "operators[].median_s_printed.*": ["", "of one machine"],
    "scores": ["", "one score per machine"],
    "scores.*": ["", "of one machine"],
    "scores.*.weighted_s": ["", "mean of s, weighted by importance"],
    "scores.*.weighted_s_unnormalised": ["", "the same, as published"],
    "scores.*.weighted_s_with_launch": ["", "the same with the launch floor"],
    "scores.*.covered_importance": ["", "importance of the operators with a time"],
    "scores.*.timed_shapes": ["", "shapes with a time"],
    "importance_sum": ["", "importance of all operators"],
    "hardware": ["", "the machines"],
    "hardware[]": ["", "one of them"],
    "hardware[].name": ["", "its name"],
    "hardware[].arch": ["", "its architecture"],
    "hardware[].memory_bandwidth": ["bytes/s", "of its memory"],
    "hardware[].launch_floor_ns": ["ns", "time of an empty kernel"],
    "hardware[].launch_floor_from": ["", "where that figure is from"],
    "launch_floor_ns": ["", "the same, by machine"],
    "launch_floor_ns.*": ["ns", "of one machine"],
    "formulas": ["", "the formulas in words"],
    "formulas[]": ["", "one of them"],
    "formulas[].operator": ["", "the operator"],
    "formulas[].W": ["", "operations"],
    "formulas[].Q_read": ["", "bytes read"],
    "formulas[].Q_write": ["", "bytes written"],
    "formulas[].strict": ["", "what the strict model does differently"],
    "warnings": ["", "sentences about the figures"],
    "warnings[]": ["", "one of them"],
    "dropped": ["", "always empty"],
  },
  Bench: {
    "format": ["", "\"tactus bench 1\""],
    "hardware": ["", "the machine"],
    "hardware.name": ["", "its name"],
    "hardware.profile": ["", "the profile whose limits count; null: nothing was timed"],
    "hardware.driver": ["", "its driver"],
    "hardware.date": ["", "when it was measured"],
    "hardware.card": ["", "which GPU of this name, as a short hash"],
    "hardware.memory_bandwidth": ["bytes/s", "of its memory"],
    "results": ["", "one per shape"],
    "results[]": ["", "one of them"],
    "results[].operator": ["", "the operator"],
    "results[].shape": ["", "id of the shape"],
    "results[].candidate": ["", "the kernel that was measured"],
    "results[].content": ["", "hash of its code"],
    "results[].options": ["", "how it was measured: full, quick or check, and with what"],
    "results[].status": ["", "right, wrong, skipped, ..."],
    "results[].reason": ["", "why it is not right or was skipped"],
    "results[].note": ["", "a remark"],
    "results[].max_rel_err": ["", "largest relative error"],
    "results[].checked": ["", "outputs that were checked"],
    "results[].mismatch": ["", "of these, wrong"],
    "results[].slack_used": ["0..1", "largest share of the allowed error in use"],
    "results[].tolerance": ["", "what is allowed after rounding, by output"],
    "results[].variant": ["", "which other accepted rounding it has"],
    "results[].failure": ["", "what can be said about wrong numbers"],
    "results[].failure.checked": ["", "numbers compared in the wrong call"],
    "results[].failure.wrong": ["", "of these, wrong"],
    "results[].failure.first": ["", "the first wrong numbers, at most 8"],
    "results[].failure.first[]": ["", "one of them"],
    "results[].failure.first[].output": ["", "the output"],
    "results[].failure.first[].indices": ["", "where in it"],
    "results[].failure.first[].indices[]": ["", "in each dimension"],
    "results[].failure.first[].got": ["", "the number; or \"nan\", \"inf\", \"-inf\""],
    "results[].failure.first[].expected": ["", "the exact one, in the same form"],
    "results[].failure.first[].allowed": ["", "what is allowed after rounding"],
    "results[].failure.inputs": ["", "inputs around the first wrong number"],
    "results[].failure.inputs[]": ["", "some numbers of one input"],
    "results[].failure.inputs[].name": ["", "the input"],
    "results[].failure.inputs[].indices": ["", "of the first number"],
    "results[].failure.inputs[].indices[]": ["", "in each dimension"],
    "results[].failure.inputs[].values": ["", "the numbers"],
    "results[].failure.inputs[].values[]": ["", "one of them, as `got`"],
    "results[].failure.pattern": ["", "where wrong numbers are, and what they are"],
    "results[].failure.pattern[]": ["", "one observation"],
    "results[].failure.mistakes": ["", "mistakes that give exactly these numbers"],
    "results[].failure.mistakes[]": ["", "one of them"],
    "results[].failure.mistakes[].name": ["", "wrong_epsilon, missing_tail, ..."],
    "results[].failure.mistakes[].text": ["", "in words"],
    "results[].t_ns": ["ns", "median time"],
    "results[].t_low_ns": ["ns", "lower end of its interval"],
    "results[].t_high_ns": ["ns", "upper end of its interval"],
    "results[].confidence": ["0..1", "of the interval"],
    "results[].samples": ["", "all times"],
    "results[].samples[]": ["ns", "one of them"],
    "results[].rounds": ["", "where each round of samples begins"],
    "results[].rounds[]": ["", "one of them"],
    "results[].t_sol_ns": ["ns", "the bound"],
    "results[].s": ["", "t_sol_ns over t_ns"],
    "results[].launch_floor_ns": ["ns", "time of an empty kernel"],
    "results[].s_with_launch": ["", "s with the launch floor in the bound"],
    "results[].clock_noise_ns": ["ns", "noise of the clock"],
    "results[].touch_floor_ns": ["ns", "time to touch the data once"],
    "results[].copy_ns": ["ns", "time to copy as many bytes"],
    "results[].sm_clock_mhz": ["MHz", "clock of the device"],
    "results[].throttled": ["", "samples left out because the device was throttled"],
    "results[].seconds": ["s", "what measuring it took, with all checks"],
    "results[].rival": ["", "the fastest rival"],
    "results[].rival.name": ["", "its name"],
    "results[].rival.t_ns": ["ns", "its time"],
    "results[].rivals": ["", "all rivals"],
    "results[].rivals[]": ["", "one of them"],
    "results[].rivals[].name": ["", "its name"],
    "results[].rivals[].t_ns": ["ns", "its time"],
    "results[].rivals[].t_low_ns": ["ns", "lower end of its interval"],
    "results[].rivals[].t_high_ns": ["ns", "upper end of its interval"],
    "results[].rivals[].samples": ["", "all its times"],
    "results[].rivals[].samples[]": ["ns", "one of them"],
    "results[].rivals[].how": ["", "how it was called"],
    "results[].rivals[].note": ["", "a remark"],
    "results[].rivals[].differs": ["", "how much its result differs"],
    "results[].rivals[].skipped": ["", "why it was skipped"],
    "results[].rivals_date": ["", "when they were timed, if on another day"],
    "score": ["", "all results together"],
    "score.weighted_s": ["", "mean of s, weighted by importance"],
    "score.weighted_s_with_launch": ["", "the same with the launch floor"],
    "score.covered_importance": ["", "importance of the operators with a time"],
    "warnings": ["", "sentences about the results"],
    "warnings[]": ["", "one of them"],
    "dropped": ["", "always empty"],
  },
  Checks: {
    "[]": ["", "one of them"],
    "[].item": ["", "what was checked"],
    "[].state": ["", "ok, missing, ..."],
    "[].fix": ["", "what to do about it"],
    "[].found": ["", "what was found"],
    "[].for": ["", "what it is needed for"],
  },
  Recorded: {
    "output": ["", "the file"],
    "seconds": ["s", "how long it was recorded"],
    "bytes_out": ["bytes", "size of the file"],
    "records": ["", "calls and GPU times that were written"],
    "ended_by": ["", "ended (the program did), time, max_size, interrupted, trigger, failed (the recording did)"],
    "exit_code": ["", "of the program; null if it was not started by this command"],
    "processes": ["", "those that used CUDA"],
    "processes[]": ["", "one of them"],
    "processes[].pid": ["", "its number"],
    "processes[].command": ["", "how it was started"],
    "processes[].rank": ["", "RANK of its environment"],
    "processes[].launches": ["", "of kernels; null if its calls are not seen (--inject)"],
    "processes[].graph_launches": ["", "of CUDA graphs; null as above"],
    "processes[].copies": ["", "calls that copy; null as above"],
    "processes[].waits": ["", "calls that wait for the GPU; null as above"],
    "processes[].gpu_times": ["", "of steps and graphs; null as above"],
    "processes[].kernels": ["", "kernels with times of their own (--mode full)"],
    "processes[].gpu_times_left_out": ["", "those that were too much for the budget"],
    "processes[].gpu_clock_residual_ns": ["ns", "how far GPU times can be off"],
    "processes[].agent_share": ["0..1", "what the agent took of the time of the thread that paid most; null as above"],
    "host": ["", "what the host tracer saw; null without --host"],
    "host.threads": ["", "threads that ran"],
    "host.turns": ["", "how often they came to a core"],
    "host.slices": ["", "of time on a core, ready or waiting"],
    "host.launches": ["", "seen from outside, of processes without the agent"],
    "meters": ["", "how often meters were read, by reader"],
    "meters[]": ["", "one reader"],
    "meters[].name": ["", "what it reads"],
    "meters[].device": ["", "Host, GPU 0"],
    "meters[].readings": ["", "how often it was read"],
    "meters[].wanted_hz": ["1/s", "--meters-hz, or what the source can give"],
    "meters[].hz": ["1/s", "reached"],
    "meters[].cost_ns": ["ns", "processor time per reading"],
    "meters[].limited_by": ["", "asked, source (nothing new more often), cost (the budget), late (the driver or the machine was busy)"],
    "injections": ["", "loads of tactus inject that ran meanwhile"],
    "injections[]": ["", "one of them; a slice of category injection"],
    "injections[].scenario": ["", "what was injected"],
    "injections[].intensity": ["0..1", "of the most that the scenario does"],
    "injections[].shape": ["", "step, ramp, spike or square"],
    "injections[].seconds": ["s", "how long it lasted, in the recording"],
    "trigger": ["", "what ended --ring"],
    "dropped": ["", "records that were lost, by reason"],
    "dropped.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
    "remarks": ["", "how it was recorded, in sentences"],
    "remarks[]": ["", "one of them"],
  },
  RecordedWindow: {
    "output": ["", "the file of the recording that runs"],
    "recorder_pid": ["", "who records"],
    "from_ns": ["ns", "when full mode began, in the recording"],
    "to_ns": ["ns", "when it ended"],
    "kernels": ["", "with times of their own, recorded meanwhile"],
    "dropped": ["", "always empty: losses are told by the recorder"],
    "warnings": ["", "what else there is to say"],
    "warnings[]": ["", "one of them"],
  },
  Top: {
    "pid": ["", "the process that is watched"],
    "command": ["", "how it was started"],
    "ended": ["", "whether it has ended"],
    "seconds": ["s", "how long it was watched; rates are over this time, 2 s at most"],
    "processes": ["", "below it, with the agent inside"],
    "threads": ["", "that launched"],
    "steps_per_second": ["1/s", "what a thread launches until it waits is a step"],
    "step_ns": ["ns", "median length of a step"],
    "slowest_step_ns": ["ns", "the longest"],
    "gpu_busy": ["0..1", "from GPU times of steps; without any, as NVML says"],
    "launches_per_second": ["1/s", "of kernels"],
    "graphs_per_second": ["1/s", "launches of CUDA graphs"],
    "copies_per_second": ["1/s", "calls that copy"],
    "kernels": ["", "kernels and graphs, most launches first"],
    "kernels[]": ["", "one of them"],
    "kernels[].name": ["", "its name; without the agent, its address"],
    "kernels[].per_second": ["1/s", "launches"],
    "kernels[].call_share": ["0..1", "time in its launch calls, of the time of threads that launch"],
    "calls": ["", "calls of the driver, longest first"],
    "calls[]": ["", "one kind"],
    "calls[].what": ["", "launch, copy, wait for the GPU, allocate"],
    "calls[].share": ["0..1", "of the time of threads that launch"],
    "host": ["", "what threads that launch do on the host; null without --host"],
    "host[]": ["", "one kind"],
    "host[].what": ["", "on a core, ready without a core, or what it waits for"],
    "host[].share": ["0..1", "of their time"],
    "meters": ["", "the latest values"],
    "meters[]": ["", "one meter"],
    "meters[].name": ["", "its name"],
    "meters[].place": ["", "Host, GPU 0, a disk or a card"],
    "meters[].unit": ["", "of the value"],
    "meters[].value": ["", "the value"],
    "dropped": ["", "records that were lost"],
    "dropped.*": ["", "how many"],
    "warnings": ["", "what is not seen, and why"],
    "warnings[]": ["", "one of them"],
  },
  Gate: {
    "pid": ["", "of the process that is the gate"],
    "policy": ["", "open, priority, share, slo or window"],
    "max_hold_ns": ["ns", "no launch is held for longer; then it goes on as soon as its thread has a core"],
    "changes": ["", "how often a class was opened or closed"],
    "refused": ["", "connections that were not let in: other users, other versions"],
    "classes": ["", "of the policy"],
    "classes[]": ["", "one of them"],
    "classes[].name": ["", "as the policy calls it"],
    "classes[].closed": ["", "whether its launches wait now"],
    "classes[].admitted": ["", "launches since the gate began; null: not counted"],
    "classes[].held": ["", "launches that waited"],
    "classes[].held_ns": ["ns", "how long, all together"],
    "classes[].expired": ["", "went on because max_hold was over"],
    "classes[].rested": ["", "did not wait because the class was held for half of the last second"],
    "classes[].longest_ns": ["ns", "the longest wait, with the time until its thread had a core"],
    "classes[].latest_ns": ["ns", "the most that a launch went on after its wait was over: its thread had no core"],
    "classes[].queued": ["", "launches that waited because of the depth limit"],
    "classes[].queued_ns": ["ns", "how long, all together"],
    "classes[].cost_ns": ["ns", "GPU time of a launch or graph, as the programs measured it; null: unknown"],
    "classes[].waiting": ["", "launches that wait now"],
    "classes[].unfinished": ["", "launches that the program has not waited for yet; null: not counted"],
    "clients": ["", "processes that take part"],
    "clients[]": ["", "one of them"],
    "clients[].pid": ["", "its number"],
    "clients[].tag": ["", "what it was tagged with"],
    "clients[].rank": ["", "RANK of its environment"],
    "clients[].world_size": ["", "WORLD_SIZE of its environment"],
    "clients[].may_be_held": ["", "false: detached, or not all ranks of its job take part"],
    "dropped": ["", "always empty"],
    "warnings": ["", "always empty"],
  },
  GateGroups: {
    "members": ["", "the words that the gate never holds"],
    "members[]": ["", "one of them"],
    "members[].word": ["", "the name of the function, or the class inside a wrapper such as device_kernel"],
    "members[].following": ["", "launches that follow the head of their group"],
    "members[].launches": ["", "all launches by that word whose call is known"],
    "members[].kernels": ["", "the kernels that follow a head, by their whole names"],
    "members[].kernels[]": ["", "one of them"],
    "left_out": ["", "words that follow a head, but would let too much pass"],
    "left_out[]": ["", "one of them"],
    "left_out[].word": ["", "as above"],
    "left_out[].following": ["", "as above"],
    "left_out[].launches": ["", "as above"],
    "left_out[].kernels": ["", "as above"],
    "left_out[].kernels[]": ["", "one of them"],
    "left_out[].why": ["", "the reason"],
    "file": ["", "what -o wrote; null: nothing"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  GateExplained: {
    "policy": ["", "open, priority, share, slo or window"],
    "says": ["", "what it does, a sentence"],
    "max_hold_ns": ["ns", "no launch is held for longer"],
    "classes": ["", "of the policy"],
    "classes[]": ["", "one of them"],
    "classes[].name": ["", "as the policy calls it"],
    "classes[].launches": ["", "of kernels and graphs"],
    "classes[].graphs": ["", "of these, graphs: each is held as one"],
    "classes[].heads": ["", "of these, kernels that may be held"],
    "classes[].members": ["", "of these, kernels that pass because they follow the head of their group"],
    "classes[].collectives": ["", "of these, kernels that pass as collectives"],
    "classes[].units": ["", "from one wait of the host to the next"],
    "classes[].gpu_ns": ["ns", "GPU time, all together"],
    "classes[].longest_ns": ["ns", "of the longest kernel or graph"],
    "classes[].longest": ["", "its name"],
    "classes[].longest_unit_ns": ["ns", "GPU time of the longest unit"],
    "classes[].depth": ["", "launches that may be queued; 0: any number"],
    "classes[].residual_ns": ["ns", "what is still to run when the class is closed, at most; null: unknown"],
    "unclassified": ["", "launches of no class: never held"],
    "notes": ["", "what could not be told"],
    "notes[]": ["", "one of them"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  GateSimulated: {
    "policy": ["", "open, priority, share, slo or window"],
    "sharing": ["", "kernels: one after the other as they are ready; slices: processes by turns; side-by-side: at the same time, each slower than alone"],
    "slice_ns": ["ns", "slices: how long a turn is, with the switch to it"],
    "switch_ns": ["ns", "slices: how long nobody gets on when the turn changes"],
    "handover_ns": ["ns", "slices: the same if the last turn was given away for want of work"],
    "rates": ["", "side-by-side: how fast each process gets on beside others"],
    "rates[]": ["", "one process"],
    "rates[].process": ["", "its number"],
    "rates[].rate": ["", "1: as fast as alone"],
    "no_gate_off": ["", "how far the simulation without a gate is off what was recorded, as a share; the worst class"],
    "runs": ["", "as it was recorded, simulated without a gate, simulated with it"],
    "runs[]": ["", "one of them"],
    "runs[].run": ["", "recorded, no gate or gate"],
    "runs[].took_ns": ["ns", "as long as the recording"],
    "runs[].classes": ["", "of the policy"],
    "runs[].classes[]": ["", "one of them"],
    "runs[].classes[].name": ["", "as the policy calls it"],
    "runs[].classes[].units": ["", "from one wait of the host to the next"],
    "runs[].classes[].between_p50_ns": ["ns", "from the end of a unit to that of the next, median"],
    "runs[].classes[].between_p99_ns": ["ns", "the same, 99th percentile"],
    "runs[].classes[].units_per_s": ["", "units per second"],
    "runs[].classes[].launches": ["", "launches of the class"],
    "runs[].classes[].held": ["", "of these, that waited"],
    "runs[].classes[].held_ns": ["ns", "how long, all together"],
    "runs[].classes[].expired": ["", "of these, that went on because max_hold was over"],
    "runs[].classes[].rested": ["", "did not wait because the class was held for half of the last second"],
    "runs[].classes[].queued": ["", "waited because of the depth limit"],
    "notes": ["", "what the recording does not show"],
    "notes[]": ["", "one of them"],
    "dropped": ["", "what was left out, by reason"],
    "dropped.*": ["", "how many"],
    "repaired": ["", "what was repaired, by reason"],
    "repaired.*": ["", "how many"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Watch: {
    "source": ["", "what was watched"],
    "interrupted": ["", "a signal ended it"],
    "streams": ["", "one entry per process, rank or engine"],
    "streams[]": ["", "one of them"],
    "streams[].stream": ["", "its name"],
    "streams[].rank": ["", "of the job"],
    "streams[].steps": ["", "that were seen"],
    "streams[].judged": ["", "that were compared with a prediction"],
    "streams[].unknown_work": ["", "whose work is not known well enough to be judged"],
    "streams[].new_work": ["", "of a size that was never seen before"],
    "streams[].ready": ["", "it learnt enough to judge"],
    "streams[].error": ["0..1", "mean of |ln(duration / prediction)| outside of episodes"],
    "streams[].spread": ["0..1", "usual size of it while learning"],
    "streams[].episodes": ["", "stretches of steps that took too long"],
    "streams[].alerts": ["", "those that lasted"],
    "streams[].extra_ns": ["ns", "time that episodes took beyond the prediction"],
    "streams[].total_ns": ["ns", "time of all steps"],
    "streams_left_out": ["", "steps of more streams than are watched"],
    "alerts": ["", "in the order of time"],
    "alerts[]": ["", "one of them"],
    "alerts[].event": ["", "alert; lines of --json-lines also have ready, too_noisy, new_work, episode, alert_ended, explained and kept"],
    "alerts[].time_ns": ["ns", "when it was raised, since the epoch"],
    "alerts[].stream": ["", "whose steps"],
    "alerts[].rank": ["", "of the job"],
    "alerts[].phase": ["", "decode, prefill, mixed or unknown"],
    "alerts[].model": ["", "what predicted: decode, with prompts, or by launches"],
    "alerts[].step": ["", "number of the step in its stream"],
    "alerts[].text": ["", "all of it in a few sentences"],
    "alerts[].episode": ["", "the slowdown"],
    "alerts[].episode.since_ns": ["ns", "start of its first step, since the epoch"],
    "alerts[].episode.noticed_ns": ["ns", "when the rules noticed it"],
    "alerts[].episode.last_ns": ["ns", "end of the last step with an alarm"],
    "alerts[].episode.first_step": ["", "of the stream"],
    "alerts[].episode.noticed_step": ["", "of the stream"],
    "alerts[].episode.steps": ["", "that it lasted so far"],
    "alerts[].episode.busy_ns": ["ns", "time of these"],
    "alerts[].episode.extra_ns": ["ns", "time beyond the prediction"],
    "alerts[].episode.ratio": ["", "duration over prediction"],
    "alerts[].episode.low": ["", "its 95% interval"],
    "alerts[].episode.high": ["", "its 95% interval"],
    "alerts[].episode.shape": ["", "step, ramp, spike, periodic, irregular or stall"],
    "alerts[].episode.period_steps": ["", "from one long step to the next, if regular"],
    "alerts[].ended": ["", "it was over when the document was written"],
    "alerts[].number": ["", "counts the alerts"],
    "alerts[].cause": ["", "class of the verdict, as compare names it; null without a recording, and in the alert of a process that is watched: the event that follows has it (explained or kept)"],
    "alerts[].verdict": ["", "its sentence"],
    "alerts[].recording": ["", "the part of the recording that was kept"],
    "alerts[].normal": ["", "the steps before it"],
    "alerts[].command": ["", "to see more"],
    "alerts[].comparison": ["", "the document of compare NORMAL ABNORMAL --json, or null"],
    "sinks": ["", "where events went"],
    "sinks[]": ["", "one of them"],
    "sinks[].name": ["", "json_lines, webhook, syslog or otlp"],
    "sinks[].delivered": ["", "messages"],
    "sinks[].failed": ["", "messages that could not be delivered"],
    "sinks[].dropped": ["", "messages that found no room, or no time"],
    "dropped": ["", "always empty: what is left out is in warnings"],
    "warnings": ["", "sentences about the source"],
    "warnings[]": ["", "one of them"],
  },
  WatchEvaluation: {
    "file": ["", "what was read"],
    "jobs": ["", "in it"],
    "steps": ["", "in it"],
    "steps_with_prompts": ["", "steps that computed prompts"],
    "streams_tested": ["", "jobs of at least 80 steps"],
    "not_sound": ["", "jobs that are more than 5% off in a model that did not see them"],
    "not_sound[]": ["", "one of them"],
    "decode_error": ["", "mean of |error| / duration of decode steps"],
    "decode_error.held_out_jobs": ["0..1", "five folds of whole jobs"],
    "decode_error.held_out_sound_jobs": ["0..1", "the same without jobs that are not sound"],
    "decode_error.held_out_workloads": ["0..1", "a fifth of the workloads held out"],
    "learning": ["", "the error after so many steps"],
    "learning[]": ["", "one point"],
    "learning[].steps": ["", "that were learnt"],
    "learning[].error": ["0..1", "mean of the folds"],
    "learning[].worst_fold": ["0..1", "the largest of the folds"],
    "quiet": ["", "steps without any injection"],
    "quiet[]": ["", "one way to replay them"],
    "quiet[].what": ["", "how they were replayed"],
    "quiet[].steps": ["", "that were replayed"],
    "quiet[].hours": ["h", "time of these steps"],
    "quiet[].episodes": ["", "stretches of alarms"],
    "quiet[].alerts": ["", "those that lasted"],
    "quiet[].not_judged": ["0..1", "steps of unknown or new work"],
    "middle": ["", "injections from the middle of each job on"],
    "middle[]": ["", "one injection"],
    "middle[].injected": ["", "its form and size"],
    "middle[].factor": ["", "its size"],
    "middle[].cases": ["", "jobs that it was put into"],
    "middle[].found": ["0..1", "share of the cases"],
    "middle[].delay_steps": ["", "median"],
    "middle[].delay_ms": ["ms", "median"],
    "middle[].size_error": ["", "median of |estimate / truth - 1|"],
    "middle[].shape_right": ["0..1", "of those found"],
    "middle_sound": ["", "the same without jobs that are not sound"],
    "middle_sound[]": ["", "as in middle"],
    "anywhere": ["", "the same in the middle and at ten random places"],
    "anywhere[]": ["", "as in middle"],
    "f1": ["", "the protocol of the original"],
    "f1[]": ["", "one rule and size"],
    "f1[].rule": ["", "the rule"],
    "f1[].factor": ["", "size of the slowdown"],
    "f1[].f1": ["0..1", "mean of 20 trials, as the next three"],
    "f1[].precision": ["0..1", "alarms that are right"],
    "f1[].recall": ["0..1", "slow steps with an alarm"],
    "f1[].lag": ["", "steps to the first alarm"],
    "jumps": ["", "streams whose batch jumps from 16 to 64 without a fault"],
    "jumps_with_alarm": ["", "those that raised an alarm"],
    "made_up": ["", "synthetic deployments, watched from nothing"],
    "made_up[]": ["", "one of them"],
    "made_up[].name": ["", "its name"],
    "made_up[].quiet": ["", "as in quiet"],
    "made_up[].decode_error": ["0..1", "of decode steps"],
    "made_up[].prompt_error": ["0..1", "of steps with prompts"],
    "made_up[].found_10": ["0..1", "slowdowns of 1.1 that were found"],
    "made_up[].delay_10": ["", "median steps until then"],
    "made_up[].found_20": ["0..1", "slowdowns of 1.2 that were found"],
    "made_up[].delay_20": ["", "median steps until then"],
    "ns_per_step": ["ns", "to score a step and learn from it, on this machine, now"],
    "coefficients": ["", "of a decode step, in us, fitted on all jobs"],
    "coefficients[]": ["us", "one of them"],
    "dropped": ["", "rows that were left out, by reason"],
    "dropped.*": ["", "how many"],
    "warnings": ["", "sentences about the file"],
    "warnings[]": ["", "one of them"],
  },
  Injected: {
    "scenario": ["", "what was injected"],
    "seconds": ["s", "how long it was asked to last"],
    "intensity": ["0..1", "of the most that the scenario does"],
    "shape": ["", "step, ramp, spike or square"],
    "plan": ["", "the limits that were worked out before"],
    "plan.cores": ["", "on which busy threads may run; 0: it has none"],
    "plan.memory_bytes": ["bytes", "at most"],
    "plan.file_bytes": ["bytes", "size of the temporary file, at most"],
    "plan.bytes_per_s": ["bytes/s", "at intensity 1; null: no limit of a rate"],
    "plan.text": ["", "what it does, in words"],
    "ending": ["", "done, early, interrupted or killed; null for a dry run"],
    "problem": ["", "why it ended early"],
    "started_ns": ["ns", "when the injector was started, since the epoch"],
    "begin_ns": ["ns", "when the load began, since the epoch"],
    "end_ns": ["ns", "since the epoch"],
    "dose": ["", "what was measured; null for a dry run"],
    "dose.seconds": ["s", "how long it lasted"],
    "dose.cores": ["", "used, on average"],
    "dose.bytes": ["bytes", "moved, written or sent"],
    "dose.bytes_per_s": ["bytes/s", "of these"],
    "dose.most_bytes": ["bytes", "of memory held at one time"],
    "dose.operations": ["", "slots, writes, stops or launches"],
    "dose.stopped_share": ["0..1", "of the time, of the process that stall stops"],
    "dropped": ["", "always empty"],
    "warnings": ["", "always empty"],
  },
  Scenarios: {
    "scenarios": ["", "what can be injected"],
    "scenarios[]": ["", "one of them"],
    "scenarios[].name": ["", "its name"],
    "scenarios[].what": ["", "what it does"],
    "scenarios[].moves": ["", "counters that should show it"],
    "not_built": ["", "what would change settings of the machine"],
    "not_built[]": ["", "one of them"],
    "not_built[].name": ["", "its name"],
    "not_built[].why": ["", "what it would need"],
    "dropped": ["", "always empty"],
    "warnings": ["", "always empty"],
  },
  Schema: {
    "documents": ["", "what commands print with --json"],
    "documents[]": ["", "one of them"],
    "documents[].command": ["", "the command that prints it"],
    "documents[].what": ["", "what it holds"],
    "documents[].fields": ["", "its fields"],
    "documents[].fields[]": ["", "one of them"],
    "documents[].fields[].path": ["", "its place; [] stands for each item of a list, * for any key of an object"],
    "documents[].fields[].type": ["", "text, bool, integer, number, list, object or json (anything)"],
    "documents[].fields[].may_be_null": ["", "null: the value is not known"],
    "documents[].fields[].is_always_there": ["", "if the object around it is there"],
    "documents[].fields[].unit": ["", "of its values"],
    "documents[].fields[].meaning": ["", "what it means"],
    "dropped": ["", "always empty"],
    "warnings": ["", "always empty"],
  },
  Drill: {
    "recording": ["", "the file with steps, meters and injections"],
    "rows": ["", "one per injection, in the order of time"],
    "rows[]": ["", "one of them"],
    "rows[].scenario": ["", "what was injected"],
    "rows[].intensity": ["0..1", "of the most that the scenario does"],
    "rows[].shape": ["", "step, ramp, spike or square"],
    "rows[].refused": ["", "why it was not done"],
    "rows[].problem": ["", "why it ended early"],
    "rows[].begin_ns": ["ns", "in the recording"],
    "rows[].end_ns": ["ns", "in the recording"],
    "rows[].cores": ["", "that it used, on average"],
    "rows[].bytes_per_s": ["bytes/s", "moved, written or sent"],
    "rows[].steps": ["", "while it was injected"],
    "rows[].normal_steps": ["", "in the rests before and after it"],
    "rows[].ratio": ["", "of the typical step, injected over normal"],
    "rows[].low": ["", "of its 95% interval"],
    "rows[].high": ["", "of its 95% interval"],
    "rows[].mean_ratio": ["", "of the mean step, injected over normal"],
    "rows[].mean_low": ["", "of its 95% interval"],
    "rows[].mean_high": ["", "of its 95% interval"],
    "rows[].windows_ratio": ["", "of the typical step, over the windows of rests"],
    "rows[].windows_low": ["", "of its 95% interval, by how much those differ"],
    "rows[].windows_high": ["", "of the same interval"],
    "rows[].windows_mean_ratio": ["", "of the mean step, as windows_ratio"],
    "rows[].windows_mean_low": ["", "of its 95% interval, by how much those differ"],
    "rows[].windows_mean_high": ["", "of the same interval"],
    "rows[].slower": ["", "yes (5% or more), no, or not judged"],
    "rows[].doubt": ["", "why windows of rests make it not judged"],
    "rows[].watched_steps": ["", "while it was injected, that watch judged"],
    "rows[].detected_steps": ["", "after how many steps watch noticed it; null: never"],
    "rows[].detected_s": ["s", "the same as time since the load began"],
    "rows[].alert_s": ["s", "until watch raised an alert; null: never"],
    "rows[].in_alert_before": ["", "an alert was open already when the load began"],
    "rows[].named": ["", "the class of the verdict; null: not compared"],
    "rows[].accepted": ["", "classes that are right for this scenario"],
    "rows[].accepted[]": ["", "one of them"],
    "rows[].seen": ["", "classes whose counters moved without being felt"],
    "rows[].seen[]": ["", "one of them"],
    "rows[].text": ["", "the verdict in one sentence, or why there is none"],
    "rows[].grade": ["", "right, missed, wrong or not judged"],
    "rows[].normal_file": ["", "with --pairs: a cut of the rest before it"],
    "rows[].injected_file": ["", "with --pairs: a cut of the injection"],
    "scenarios": ["", "one per scenario and intensity, if something was repeated"],
    "scenarios[]": ["", "one of them"],
    "scenarios[].scenario": ["", "what was injected"],
    "scenarios[].intensity": ["0..1", "of the most that the scenario does"],
    "scenarios[].repeats": ["", "that were compared"],
    "scenarios[].ratio": ["", "of the typical step, the mean of all repeats"],
    "scenarios[].low": ["", "of its 95% interval, by repeats and windows of rests"],
    "scenarios[].high": ["", "of the same interval"],
    "scenarios[].mean_ratio": ["", "of the mean step, the mean of all repeats"],
    "scenarios[].mean_low": ["", "of its 95% interval"],
    "scenarios[].mean_high": ["", "of its 95% interval"],
    "scenarios[].slower": ["", "yes (5% or more), no, or not judged"],
    "scenarios[].detected": ["", "repeats that watch noticed"],
    "scenarios[].alerts": ["", "repeats with an alert"],
    "scenarios[].named": ["", "the class that more than half of them named, else unknown"],
    "scenarios[].named_rightly": ["", "repeats that were named rightly"],
    "scenarios[].grade": ["", "right, missed, wrong or not judged"],
    "felt": ["", "the injections that made steps slower by 5% or more"],
    "felt.injections": ["", "how many"],
    "felt.detected": ["", "that watch noticed"],
    "felt.right": ["", "that were named rightly"],
    "rests": ["", "what watch said while nothing was injected"],
    "rests.watched_steps": ["", "that it judged"],
    "rests.episodes": ["", "of slow steps that no injection made"],
    "rests.alerts": ["", "about slow steps that no injection made"],
    "rests.alerted": ["", "those alerts"],
    "rests.alerted[]": ["", "one of them"],
    "rests.alerted[].since_ns": ["ns", "when its slow steps began; in the recording"],
    "rests.alerted[].called_ns": ["ns", "when it was raised"],
    "rests.alerted[].ratio": ["", "of steps to what their work explains"],
    "rests.alerted[].low": ["", "of its 95% interval"],
    "rests.alerted[].high": ["", "of its 95% interval"],
    "rests.ready": ["", "it learnt enough to judge"],
    "rests.windows": ["", "ends of rests, as long as an injection"],
    "rests.window_low": ["", "of the 95% interval of their typical steps, over their middle"],
    "rests.window_high": ["", "of the same interval"],
    "dropped": ["", "always empty"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  PageHead: {
    "version": ["", "of the form of the page's data"],
    "mode": ["", "report (all data in the file) or serve (data by HTTP)"],
    "open": ["", "the part to show first"],
    "title": ["", "of the page"],
    "tactus": ["", "the version of tactus"],
    "documents": ["", "names of the documents in the file; empty for serve"],
    "documents[]": ["", "one of them"],
    "warnings": ["", "sentences about what the page leaves out"],
    "warnings[]": ["", "one of them"],
  },
  Runs: {
    "[]": ["", "one of them"],
    "[].index": ["", "its number in names of documents"],
    "[].name": ["", "the name of its file"],
    "[].kind": ["", "trace, table, patterns, results, catalogue or report"],
    "[].holds": ["", "kernels; launches, if no kernel has a time; null: neither"],
    "[].rows": ["", "slices of a trace, rows of a table"],
    "[].span_ns": ["ns", "from the first slice to the last"],
    "[].live": ["", "it is still being recorded"],
    "[].generation": ["", "grows when a live run has grown"],
  },
  Overview: {
    "sentence": ["", "the run in a sentence"],
    "lines": ["", "what the text of tactus kernels says below its table"],
    "lines[]": ["", "one of them"],
    "lines[].label": ["", "what it is about; empty: as the line before"],
    "lines[].text": ["", "a sentence or two"],
    "next": ["", "commands to type next"],
    "next[]": ["", "one of them"],
    "remarks": ["", "sentences about how it was recorded"],
    "remarks[]": ["", "one of them"],
    "warnings": ["", "sentences about the recording"],
    "warnings[]": ["", "one of them"],
  },
  Timeline: {
    "origin_ns": ["ns", "time 0 of the run, since the epoch"],
    "start_ns": ["ns", "start of the first slice"],
    "span_ns": ["ns", "from the first slice to the end of the last"],
    "names": ["", "names of slices, the most frequent first"],
    "names[]": ["", "one of them"],
    "short_names": ["", "by name: short name of a kernel; empty for others"],
    "short_names[]": ["", "one of them"],
    "families": ["", "families of kernels that occur"],
    "families[]": ["", "one of them"],
    "family_of_name": ["", "by name: index of families, -1 if it is not a kernel"],
    "family_of_name[]": ["", "one of them"],
    "tracks": ["", "streams and threads that have slices"],
    "tracks[]": ["", "one of them"],
    "tracks[].id": ["", "its number in requests"],
    "tracks[].kind": ["", "stream or thread"],
    "tracks[].label": ["", "stream 7"],
    "tracks[].group": ["", "its device or process"],
    "tracks[].host": ["", "its host"],
    "tracks[].rank": ["", "its rank"],
    "tracks[].device": ["", "number of its device"],
    "tracks[].pid": ["", "its process"],
    "tracks[].tid": ["", "its thread"],
    "tracks[].depth": ["", "levels of nesting"],
    "tracks[].count": ["", "slices"],
    "counters": ["", "counters that have samples"],
    "counters[]": ["", "one of them"],
    "counters[].id": ["", "its number in the columns"],
    "counters[].name": ["", "its name"],
    "counters[].unit": ["", "of its values"],
    "counters[].device": ["", "what was measured"],
    "counters[].count": ["", "samples"],
    "tiles": ["", "slices are asked for by segment (serve)"],
    "whole_from_ns": ["ns", "slices from here are all there, none merged"],
    "whole_to_ns": ["ns", "up to here"],
    "warnings": ["", "sentences about what is not shown"],
    "warnings[]": ["", "one of them"],
  },
  Flame: {
    "kind": ["", "what the nodes are: python or ops"],
    "nodes": ["", "callers before what they call; kernels are the leaves"],
    "nodes[]": ["", "one of them"],
    "nodes[].name": ["", "function, op or kernel"],
    "nodes[].parent": ["", "index of its caller; -1 for none"],
    "nodes[].launches": ["", "kernels that it and what it calls launched"],
    "nodes[].device_ns": ["ns", "their time"],
    "warnings": ["", "sentences about what is not shown"],
    "warnings[]": ["", "one of them"],
  },
  Slice: {
    "row": ["", "its row in the run"],
    "name": ["", "its name"],
    "kind": ["", "kernel, cpu_op, python_function and so on"],
    "track": ["", "the number of its track in the timeline"],
    "start_ns": ["ns", "since the start of the run"],
    "dur_ns": ["ns", "how long it took"],
    "args": ["", "what the recording says about it"],
    "args.*": ["", "a value"],
    "op": ["", "the framework op that launched it"],
    "shapes": ["", "input shapes of that op"],
    "python": ["", "the Python function that launched it"],
    "module": ["", "the module that launched it"],
    "launched_by": ["", "row of the call that launched it"],
    "launches": ["", "rows of the work that it launched"],
    "launches[]": ["", "one of them"],
  },
  Search: {
    "names": ["", "names that hold the text, the most frequent first"],
    "names[]": ["", "one of them"],
    "names[].name": ["", "index of the timeline's names"],
    "names[].count": ["", "slices of that name"],
    "total": ["", "names found, also those that are not listed"],
  },
};
