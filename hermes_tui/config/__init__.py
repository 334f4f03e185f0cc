"""The whole configuration as one typed schema, with its defaults and the help each key shows."""

from __future__ import annotations

from msgspec import Struct, field

from hermes_tui.config.agent import AgentConfig, McpConfig, ToolsConfig, VisionConfig, WebConfig
from hermes_tui.config.backup import BackupConfig
from hermes_tui.config.core import CoreConfig, UiConfig
from hermes_tui.config.cron import CronConfig, HeartbeatConfig
from hermes_tui.config.delegate import DelegateConfig
from hermes_tui.config.gateways import (
    ChatConfig,
    DiscordConfig,
    GatewaysConfig,
    Hook,
    SignalConfig,
    SlackConfig,
    TelegramConfig,
    WebhookConfig,
    WhatsAppConfig,
)
from hermes_tui.config.http import HttpConfig
from hermes_tui.config.learned import MemoryConfig, RecallConfig, SkillsConfig
from hermes_tui.config.learning import LearningConfig
from hermes_tui.config.model import EFFORTS, Effort, ModelConfig, ModelsConfig, SpendConfig
from hermes_tui.config.security import CheckpointsConfig, PolicyConfig, SandboxConfig

__all__ = [
    "EFFORTS",
    "AgentConfig",
    "BackupConfig",
    "ChatConfig",
    "CheckpointsConfig",
    "Config",
    "CoreConfig",
    "CronConfig",
    "DelegateConfig",
    "DiscordConfig",
    "Effort",
    "GatewaysConfig",
    "HeartbeatConfig",
    "Hook",
    "HttpConfig",
    "LearningConfig",
    "McpConfig",
    "MemoryConfig",
    "ModelConfig",
    "ModelsConfig",
    "PolicyConfig",
    "RecallConfig",
    "SandboxConfig",
    "SignalConfig",
    "SkillsConfig",
    "SlackConfig",
    "SpendConfig",
    "TelegramConfig",
    "ToolsConfig",
    "UiConfig",
    "VisionConfig",
    "WebConfig",
    "WebhookConfig",
    "WhatsAppConfig",
]


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings."""

    model: ModelConfig = field(default_factory=ModelConfig)
    models: ModelsConfig = field(default_factory=ModelsConfig)
    spend: SpendConfig = field(default_factory=SpendConfig)
    agent: AgentConfig = field(default_factory=AgentConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    delegate: DelegateConfig = field(default_factory=DelegateConfig)
    web: WebConfig = field(default_factory=WebConfig)
    vision: VisionConfig = field(default_factory=VisionConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    sandbox: SandboxConfig = field(default_factory=SandboxConfig)
    ui: UiConfig = field(default_factory=UiConfig)
    checkpoints: CheckpointsConfig = field(default_factory=CheckpointsConfig)
    backup: BackupConfig = field(default_factory=BackupConfig)
    core: CoreConfig = field(default_factory=CoreConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    skills: SkillsConfig = field(default_factory=SkillsConfig)
    learning: LearningConfig = field(default_factory=LearningConfig)
    mcp: McpConfig = field(default_factory=McpConfig)
    cron: CronConfig = field(default_factory=CronConfig)
    http: HttpConfig = field(default_factory=HttpConfig)
    gateways: GatewaysConfig = field(default_factory=GatewaysConfig)
    telegram: TelegramConfig = field(default_factory=TelegramConfig)
    discord: DiscordConfig = field(default_factory=DiscordConfig)
    slack: SlackConfig = field(default_factory=SlackConfig)
    whatsapp: WhatsAppConfig = field(default_factory=WhatsAppConfig)
    signal: SignalConfig = field(default_factory=SignalConfig)
    webhook: WebhookConfig = field(default_factory=WebhookConfig)
    heartbeat: HeartbeatConfig = field(default_factory=HeartbeatConfig)
