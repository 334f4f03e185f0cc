"""Words that say nothing, words that say little, and words used for each other."""

from __future__ import annotations

STOP_WORDS = """
    a about above after again all also am an and any anything are as at be because been before
    being below between both but by can cannot could did do does doing don done down during each
    either else etc even ever every few for from further get gets getting got had has have having
    he hello help her here hers hi him his how i if in into is it its itself just know let lets
    like ll many may me might mine more most much must my need needs neither no nor not now of off
    ok okay on once one only onto or other others our ours out over own please really s same shall
    she should since so some something such t than thank thanks that the their theirs them then
    there these they thing things this those though through to too under until up upon us very via
    want wants was way we well were what when where whether which while who whom whose why will
    with within without would you your yours
"""

COMMON_WORDS = """
    able access add agent allow answer api app application apply ask available based best build
    call change check clear client code command common complete content context copy correct
    create current data day default define describe description detail different directory
    document each edit end ensure enter error exact example execute existing explain extra field
    file final find first fix folder follow following format full function general generate give
    given good guide handle hold home identify important include information input install
    instruction issue item keep key kind language large last line link list load local long look
    main make manage md message method mode move multiple name new next note number old open
    operation option order original output page part pass path people perform place plan point
    possible problem process program project prompt provide question quick read receive
    reference remove report request require response result return review right root rule run
    save script search second section see select send service set setup share show simple single
    small source specific standard start state step still stop store string support sure system
    take task team tell test text time title today tool try two type update url use used user
    using value version view wait web week whole word work workflow write wrong year
"""

WORDS_ALIKE: tuple[str, ...] = (
    # making, changing, ending
    "fix repair debug troubleshoot diagnose solve",
    "error exception crash failure bug traceback",
    "broken failing red flaky",
    "down outage unavailable 502 503 504 5xx",
    "delete remove erase purge drop",
    "clean tidy declutter cleanup organize sort",
    "rename relabel",
    "install setup configure provision",
    "upgrade update migrate bump",
    "move migrate relocate transfer port",
    "convert transform turn export transcode",
    "merge combine join concatenate",
    "split divide separate chunk",
    "compress shrink zip archive",
    "extract pull scrape parse harvest",
    "download fetch grab",
    "compare diff contrast versus",
    "schedule cron recurring periodic",
    "remind reminder notify alert notification",
    "monitor watch track observe",
    "summarize summary digest recap tldr condense",
    "translate translation localize",
    "explain describe understand walkthrough",
    "plan planning roadmap",
    "brainstorm idea",
    "refactor restructure simplify",
    "review audit inspect critique",
    "speed performance slow faster optimize latency profile",
    "memory leak ram",
    "test testing spec unittest pytest",
    "deploy release publish ship rollout",
    "backup restore snapshot recovery",
    "encrypt decrypt cipher",
    "login auth authentication signin oauth",
    "password credential secret key",
    "security vulnerability exploit hardening pentest",
    # code and machines
    "commit changelog",
    "repository repo codebase git",
    "pr pullrequest pull",
    "github gh",
    "kubernetes k8s kubectl",
    "docker container",
    "server host machine vps",
    "database db sql",
    "postgres postgresql",
    "javascript js node",
    "typescript ts",
    "python py",
    "frontend ui interface",
    "css style layout",
    "website webpage site",
    "browser chrome playwright puppeteer",
    "shell bash terminal",
    "log logs logging journal",
    "network connection internet",
    "firewall port",
    "dns domain nameserver",
    "certificate tls ssl https",
    "disk storage space",
    "cpu processor load",
    "cluster node",
    "api endpoint rest",
    "json yaml toml",
    "regex pattern",
    "documentation docs readme",
    "dependency package library",
    # papers and numbers
    "spreadsheet excel xlsx xls worksheet workbook",
    "csv table tabular",
    "pivot aggregate",
    "chart plot graph visualize visualization diagram",
    "dashboard metric kpi",
    "slides presentation powerpoint pptx deck",
    "word docx",
    "pdf form",
    "letter correspondence",
    "report whitepaper",
    "resume cv job",
    "contract agreement legal",
    "invoice bill receipt",
    "expense spending budget cost",
    "tax taxes irs",
    "money finance financial payment",
    "stock stocks share equity portfolio market",
    "crypto bitcoin ethereum token wallet",
    "buy purchase order shop shopping",
    "price pricing quote",
    "paper article study literature",
    "citation reference bibliography bibtex",
    "equation formula math",
    "statistics regression correlation",
    "forecast predict prediction",
    "anomaly outlier",
    # people and days
    "email mail inbox gmail message",
    "calendar appointment meeting event",
    "minutes transcript notes",
    "chat slack discord telegram",
    "tweet twitter post",
    "social instagram tiktok",
    "newsletter blog article",
    "marketing advertising campaign ad",
    "seo ranking keyword",
    "customer client lead crm",
    "interview candidate hiring recruit",
    "todo task checklist",
    "habit routine",
    "travel trip flight hotel vacation itinerary",
    "weather forecast temperature rain",
    "map route directions location",
    "recipe cook meal food",
    "workout fitness exercise gym",
    "health medical doctor",
    "sleep rest",
    "home house smart",
    "light lamp bulb",
    "car vehicle driving",
    "game gaming play",
    "news headline",
    "learn study tutor teach quiz",
    # sound and pictures
    "image picture photo png jpg",
    "screenshot screen capture",
    "video movie clip film mp4 youtube",
    "audio sound mp3 podcast",
    "speech voice tts spoken narrate",
    "transcribe transcription transcript subtitle caption",
    "music song playlist spotify",
    "draw sketch illustration drawing",
    "logo icon",
    "color palette",
    "scan ocr",
    "3d mesh stl model",
)
