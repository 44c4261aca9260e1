// 中文文本。命令给出的句子、原因与阶段名称来自数据本身。

import type {Texts} from './index';

const number = (n: number): string => n.toLocaleString('en-US');

export const zh: Texts = {
  unknown: '未知',
  loading: '读取中…',
  nothing: '没有可显示的内容。',
  skip: '跳到内容',
  run: '运行',
  live: '实时',
  perfetto: '在 Perfetto 中打开',
  language: '切换到英文',
  theme: '浅色或深色',
  navigation: '页面各部分',
  footer: (version) => `由 Tactus ${version} 生成。按键：1 到 9 打开各部分，/ 搜索。指向数字可看其含义。`,
  parts: {
    runs: '运行列表', overview: '概览', steps: '步', timeline: '时间线', kernels: '内核', roofline: 'Roofline', flame: '火焰图',
    ranks: 'Rank', compare: '对比', bench: '基准测试', notes: '说明', sql: 'SQL',
  },
  chart: {role: '图表', keys: '方向键逐个选择标记，回车打开。', list: '以列表显示'},
  table: {
    search: '搜索', columns: '列', copy: '复制', details: '详情', more: (n) => `还有 ${number(n)} 行`,
    shown: (n, all) => (n === all ? `${number(n)} 行` : `${number(all)} 行中的 ${number(n)} 行`),
    copied: (n) => `已将 ${number(n)} 行复制为 CSV。`,
  },
  overview: {
    span: '记录时长', anyStep: '步，中位数', stepOf: (phase) => `${phase} 步，中位数`, busy: 'GPU 忙碌', busyMeaning: '从第一项到最后一项工作之间设备在工作的时间占比',
    of: '共', bound: '达到上限的', kernelTime: '内核时间', launches: (n) => `${number(n)} 次启动`,
    steps: '每步耗时随时间的变化', families: 'GPU 时间用在哪里', familiesNote: '按类别的内核时间', noKernels: '没有记录到内核。',
    idle: '设备为何空闲', idleNote: '占时间的比例', noIdle: '未知：此记录中没有带启动信息的 GPU 工作。',
    hostWas: '此时主机正在', outside: '任何算子之外的代码', gaps: (n) => `共 ${number(n)} 段空隙`,
    idleSum: (part, gaps, longest) => `空闲占 ${part}，共 ${gaps} 段，最长 ${longest}。`,
    says: '这次运行说明了什么', next: '下一步', coverage: '已知的部分', coverageNote: '占 GPU 时间的比例',
    coverSource: '源代码行或文件', coverOperator: '算子', coverShape: '形状', coverBound: '上限', coverReplayed: '由 CUDA Graph 重放', coverNothing: '一无所知',
    warnings: '警告', noWarnings: '无：没有丢弃或修复任何内容。',
    dropped: (n, why) => `丢弃 ${n}：${why}`, repaired: (n, why) => `修复 ${n}：${why}`,
  },
  steps: {
    title: '所有步', click: '点击一步可看其时间线', step: '步', phase: '阶段', time: '耗时', busy: 'GPU 忙碌', launches: '启动次数', tokens: 'Token 数',
    sequences: '序列数', context: '上下文', start: '开始', rank: 'Rank', cut: '被记录截断', outlier: '离群',
    outlierMeaning: (n) => `离群（${number(n)}）:远高于同阶段的其他步`, none: '此记录中没有找到步。',
    distribution: '每步耗时的分布', tokensPerSecond: '每秒 Token 数', table: '步', openTimeline: '在时间线中显示',
  },
  timeline: {
    reading: (n) => `正在读取 ${n} 个片段…`, none: '此记录中没有持续一段时间的内容。', slices: (n) => `${number(n)} 个片段`, counters: '计数器',
    search: '搜索名称', found: (slices, names) => `${number(slices)} 个片段，${number(names)} 个名称`, foundNames: (names) => `${number(names)} 个名称`, previous: '上一个', next: '下一个', noMore: '没有更多了。',
    both: '两次运行', aligned: (step) => `在第 ${step} 步对齐`, previousStep: '在上一步对齐', nextStep: '在下一步对齐', all: '显示全部',
    keysLine: '时间线。W 和 S 缩放，A 和 D 移动，方向键选择片段，F 聚焦所选，M 标记其范围，R 显示全部，Escape 清除。',
    hint: '|W| |S| 或滚轮：缩放 · |A| |D| 或拖动：移动 · |Shift| + 拖动，或在标尺上拖动：选范围 · |Shift| + 滚轮：上下滚动 · 方向键：选择 · |F| 聚焦 · |M| 所选的范围 · |R| 全部 · |/| 搜索',
    at: '位于', merged: (n) => `合并了 ${number(n)} 个片段`, together: (n) => `此像素中 ${number(n)} 个里最长的`, family: '类别',
    selected: '所选', duration: '时长', durationMeaning: '从开始到结束', start: '开始', startMeaning: '自记录开始的时间',
    bound: '上限', sOfKernel: '此内核的 S', median: '此内核的中位数', op: '算子', shape: '形状', shapeMost: '耗时最多的形状', python: 'Python', source: '源代码', module: '模块',
    launches: '启动了', launchedBy: '启动者', later: '相隔', more: (n) => `还有 ${number(n)} 个`, stackOfLaunch: '从哪里启动', around: '外层',
    range: '所选范围', rangeBusy: (busy) => `工作 ${busy}`,
  },
  kernels: {
    title: '内核', time: '占比', total: '总计', kernel: '内核', count: '次数', median: '中位数', mean: '平均', family: '类别', operator: '算子', shapes: '形状', source: '源代码', op: '框架算子',
    module: '模块', library: '库', dtype: '类型', shortest: '最短', longest: '最长', deviation: '标准差', names: '名称数', self: '自身', calls: '调用', phase: '阶段', allPhases: '全部',
    allFamilies: '全部类别', by: '每行一个', known: (source, bound) => `${source} 已知源代码，${bound} 已知上限`, spread: '耗时分布', sources: '从何处启动',
    nameSays: '名称说明了什么', inTimeline: '在时间线中查找', atLeast: '至少', bound: '全部的上限',
  },
  roofline: {
    title: '与上限的距离', ofRun: '本次运行', catalogue: '目录', each: '每次', ofTime: '的 GPU 时间', none: '本次运行没有内核有已知上限。', now: '目前达到上限的',
    runNote: (machine, coverage) => `${machine}，${coverage} 的 GPU 时间有已知上限；每点是一个内核，大小为时间；空心：至少，只计确定的部分`,
    saved: '可以节省', savedMeaning: '若低于所选 S 的内核都达到它，可节省的 GPU 时间', whatIf: '假如每个内核都达到',
    bound: '上限', xBound: '机器每次启动所需的最短时间（上限）', yTime: '每次启动的时间', gains: '可以节省什么', gainsNote: '达到上限时，按算子和形状', saves: '节省', share: '占比', what: '内容',
    operator: '算子', shape: '形状', intensity: '强度', work: '运算量', bytes: '字节', score: '得分', timed: (n) => `${number(n)} 个已测`, allOperators: '全部算子', shapes: '形状',
    catalogueNote: (model, n) => `${model} 模型，${n} 个形状；实心点为实测，空心点为上限；屋顶为所出现的最快类型`, ridge: '脊点', notTimed: '未测',
    xIntensity: '算术强度（FLOP/byte）', ySpeed: '速度',
  },
  flame: {
    title: '按调用栈的启动', none: '没有记录调用栈、模块或算子。', search: '搜索', measure: '宽度', time: 'GPU 时间', launches: '启动次数', difference: (name) => `与 ${name} 的差异`,
    up: '向上', all: '全部', more: '占比高于另一次运行', less: '占比更低', other: '另一次运行中', onlyHere: '仅在本次运行中',
    kinds: {python: '按 Python 调用栈', modules: '按模块', ops: '按算子'},
  },
  ranks: {
    title: 'Rank', stragglers: '谁迟到', noStraggler: '没有哪个 rank 明显比其他的晚。', parts: '每个 rank 的平均步', partsNote: '计算、暴露的通信与空闲之和等于一步',
    compute: '计算', exposed: '暴露的通信', idle: '空闲', rank: 'Rank', step: '步', busy: '忙碌', comm: '通信', copies: '拷贝', waits: '等待', late: '迟到', wasLast: '最后到达', device: '设备', host: '主机',
    collectives: '集合通信', matched: (n, not) => `${number(n)} 个在其全部 rank 中找到，${number(not)} 个没有`, collective: '集合通信', size: '大小', count: '次数', wait: '等待', transfer: '传输', bus: '总线', link: '链路', last: '最常最后到达',
    imbalance: '在某个 rank 上更久', imbalanceLine: (op, rank, extra, median) => `${op}：rank ${rank} 每步比其他的（${median}）多用 ${extra}`,
  },
  compare: {
    noInterval: '没有区间', normal: '正常', abnormal: '异常', change: '变化', tail: '尾部', cause: '原因', confidence: '把握', explains: '解释了', phase: '阶段', where: '时间去了哪里',
    whereNote: (phase) => `平均 ${phase} 步；各部分之和等于总变化`, others: (n) => `${number(n)} 个较小部分`, rest: '未归因', why: '为何：变化的计数器', whyNote: '比值及其 95% 区间；空心：没有区间',
    overTime: '随时间', counter: '计数器', ratio: '比值', interval: '95% 区间', role: '角色', device: '设备', delta: '每步变化', share: '占比', what: '内容', counts: '次数', each: '每次', kind: '种类',
    suspicion: '可疑度', function: '函数', classic: '经典表格', steps: '每步耗时', evidence: '依据', seen: '看到但解释力不足', notKnown: '未知', next: '下一步', table: '全部变化', byRank: '按 rank', rank: 'Rank', notComparable: '这两次运行无法比较：',
  },
  bench: {
    machine: '机器', score: '得分', covers: '覆盖', results: '结果', timed: '已计时', notRight: '不正确', title: '每个形状的 S', titleNote: '上限除以时间；100% 即上限', operator: '算子', shape: '形状', time: '时间', interval: '区间',
    withLaunch: '含启动的 S', rival: '对手', candidate: '候选', status: '状态', reason: '原因', note: '备注', options: '测量方式', error: '最大误差', checked: '已检查', wrong: '错误', tolerance: '允许', touch: '触及下限',
    copy: '拷贝', failure: '哪里不对', samples: '样本', rivals: '对手',
  },
  notes: {
    groups: '一起启动', groupsNote: '由一次调用启动的内核', asOne: '可作为一个拦截', notAsOne: '不能作为一个拦截', groupLine: (n, total, evidence) => `${n} 次，共 ${total}（${evidence}）。`,
    structure: '一步由什么组成', passes: '遍', layers: '层', gemms: '每层 GEMM', captured: '捕获的大小', identities: '必须一致的计数（期望 / 实际）', answers: '对说明中问题的回答', line: '行',
    hints: '值得改动', inconsistent: '对不上的地方', stacks: '粘贴的调用栈', noKernel: '没有内核', notes: '作者的说明', operator: '算子', importance: '重要性', shapes: '形状', dtype: '类型', phase: '阶段', profiles: '采样数', origin: '来源', catalogue: '目录',
  },
  sql: {title: '用 SQL 提问', note: '只读；表：slices, kernels, ops, copies, launches, counters, steps, stacks, ranks', run: '执行', examples: '示例', answer: '结果', rows: '行'},
  runs: {
    title: '运行列表', name: '名称', kind: '种类', rows: '片段', span: '时长', add: '添加运行', drop: '把记录拖到这里读取：Kineto JSON、.tact、nsys SQLite、CSV…', choose: '或选择文件：',
    sending: (name, bytes) => `正在读取 ${name}（${bytes} 字节）…`, imported: (name) => `${name} 已读取。`,
  },
};
