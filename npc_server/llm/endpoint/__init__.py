"""Models behind an OpenAI-compatible address: llama-server, vLLM, Ollama, LM Studio, SGLang, or a hosted one."""
