# SPDX-License-Identifier: BSD-3-Clause
"""Models and blocks: `models.py trace OUT` writes Kineto traces of two steps each; `models.py ncu x LIST` runs
one step of each of LIST between cudaProfilerStart and Stop, behind a spin_kernel."""

import sys, math, torch, torch.nn as nn, torch.nn.functional as F
import torchvision.models as tv

dev = "cuda"
torch.manual_seed(1)


def train(model, x, dtype=None, target=None, opt="sgd", cl=False):
    model = model.to(dev)
    if cl:
        model = model.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    o = (
        torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
        if opt == "sgd"
        else torch.optim.AdamW(model.parameters(), 1e-3)
    )

    def step():
        o.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=dtype, enabled=dtype is not None):
            y = model(x)
            if isinstance(y, tuple):
                y = y[0]
            loss = F.cross_entropy(y, target) if target is not None else y.float().square().mean()
        loss.backward()
        o.step()

    return step


def infer(model, *x, half=None):
    model = model.to(dev).eval()
    if half:
        model = model.to(half)

    def step():
        with torch.no_grad():
            return model(*x)

    return step


class RMS(nn.Module):
    def __init__(s, d):
        super().__init__()
        s.w = nn.Parameter(torch.ones(d))

    def forward(s, x):
        return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5).to(x.dtype) * s.w


class Llama(nn.Module):
    def __init__(s, d=2048, h=16, kv=4, f=5632):
        super().__init__()
        s.h, s.kv, s.e = h, kv, d // h
        s.n1, s.n2 = RMS(d), RMS(d)
        s.q = nn.Linear(d, d, bias=False)
        s.k = nn.Linear(d, kv * s.e, bias=False)
        s.v = nn.Linear(d, kv * s.e, bias=False)
        s.o = nn.Linear(d, d, bias=False)
        s.g = nn.Linear(d, f, bias=False)
        s.u = nn.Linear(d, f, bias=False)
        s.d = nn.Linear(f, d, bias=False)

    def rope(s, x):
        t = torch.arange(x.shape[2], device=x.device, dtype=torch.float32)
        fr = torch.outer(t, 1e4 ** (-torch.arange(0, s.e, 2, device=x.device, dtype=torch.float32) / s.e))
        c, n = fr.cos().to(x.dtype), fr.sin().to(x.dtype)
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * c - b * n, a * n + b * c), -1).flatten(-2)

    def forward(s, x):
        B, T, D = x.shape
        y = s.n1(x)
        q = s.rope(s.q(y).view(B, T, s.h, s.e).transpose(1, 2))
        k = s.rope(s.k(y).view(B, T, s.kv, s.e).transpose(1, 2))
        v = s.v(y).view(B, T, s.kv, s.e).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + s.o(a.transpose(1, 2).reshape(B, T, D))
        y = s.n2(x)
        return x + s.d(F.silu(s.g(y)) * s.u(y))


class GPT(nn.Module):
    def __init__(s, d=1024, h=16, vocab=32000, n=2, manual=False):
        super().__init__()
        s.h, s.manual = h, manual
        s.e = nn.Embedding(vocab, d)
        s.p = nn.Parameter(torch.randn(1024, d) * 0.02)
        s.l = nn.ModuleList(
            [
                nn.ModuleDict(
                    dict(
                        a=nn.LayerNorm(d),
                        qkv=nn.Linear(d, 3 * d),
                        o=nn.Linear(d, d),
                        b=nn.LayerNorm(d),
                        f=nn.Linear(d, 4 * d),
                        g=nn.Linear(4 * d, d),
                    )
                )
                for _ in range(n)
            ]
        )
        s.n = nn.LayerNorm(d)
        s.head = nn.Linear(d, vocab, bias=False)

    def forward(s, ids):
        x = s.e(ids) + s.p[: ids.shape[1]]
        B, T, D = x.shape
        for l in s.l:
            q, k, v = l["qkv"](l["a"](x)).view(B, T, 3, s.h, D // s.h).permute(2, 0, 3, 1, 4)
            if s.manual:
                w = (q @ k.transpose(-1, -2)) / math.sqrt(D // s.h)
                w = w.masked_fill(
                    torch.triu(torch.ones(T, T, dtype=torch.bool, device=x.device), 1), float("-inf")
                ).softmax(-1)
                a = F.dropout(w, 0.1) @ v
            else:
                a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + l["o"](a.transpose(1, 2).reshape(B, T, D))
            x = x + l["g"](F.gelu(l["f"](l["b"](x))))
        return s.head(s.n(x)).flatten(0, 1)


class UNet(nn.Module):
    def __init__(s, c=64):
        super().__init__()
        blk = lambda i, o: nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1),
            nn.GroupNorm(8, o),
            nn.SiLU(),
            nn.Conv2d(o, o, 3, padding=1),
            nn.GroupNorm(8, o),
            nn.SiLU(),
        )
        s.d1, s.d2, s.m = blk(4, c), blk(c, 2 * c), blk(2 * c, 4 * c)
        s.u2, s.u1 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), nn.ConvTranspose2d(2 * c, c, 2, 2)
        s.e2, s.e1, s.o = blk(4 * c, 2 * c), blk(2 * c, c), nn.Conv2d(c, 4, 1)

    def forward(s, x):
        a = s.d1(x)
        b = s.d2(F.max_pool2d(a, 2))
        m = s.m(F.max_pool2d(b, 2))
        y = s.e2(torch.cat((s.u2(m), b), 1))
        return s.o(s.e1(torch.cat((s.u1(y), a), 1)))


class MoE(nn.Module):
    def __init__(s, d=1024, f=4096, n=8):
        super().__init__()
        s.r = nn.Linear(d, n)
        s.w1 = nn.Parameter(torch.randn(n, d, f) * 0.02)
        s.w2 = nn.Parameter(torch.randn(n, f, d) * 0.02)
        s.n = n

    def forward(s, x):
        p, i = s.r(x).softmax(-1).topk(2, -1)
        y = torch.zeros_like(x)
        for e in range(s.n):
            t, k = (i == e).nonzero(as_tuple=True)
            y = y.index_add(
                0, t, (F.gelu(x[t] @ s.w1[e].to(x.dtype)) @ s.w2[e].to(x.dtype)) * p[t, k, None].to(x.dtype)
            )
        return y


class DLRM(nn.Module):
    def __init__(s):
        super().__init__()
        s.t = nn.ModuleList([nn.EmbeddingBag(100000, 64, mode="sum") for _ in range(8)])
        s.b = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, 64), nn.ReLU())
        s.h = nn.Sequential(nn.Linear(64 + 36, 512), nn.ReLU(), nn.Linear(512, 1))
        s.iu = torch.triu_indices(9, 9, 1)

    def forward(s, z):
        x, ids = z
        d = s.b(x)
        e = [d] + [t(ids[i]) for i, t in enumerate(s.t)]
        v = torch.stack(e, 1)
        g = torch.bmm(v, v.transpose(1, 2))[:, s.iu[0], s.iu[1]]
        return s.h(torch.cat((d, g), 1))


class Separable(nn.Module):
    def __init__(s, c=256):
        super().__init__()
        s.l = nn.Sequential(
            *[
                m
                for _ in range(3)
                for m in (
                    nn.Conv2d(c, c, 3, padding=1, groups=c, bias=False),
                    nn.BatchNorm2d(c),
                    nn.ReLU(),
                    nn.Conv2d(c, c, 1, bias=False),
                    nn.BatchNorm2d(c),
                    nn.ReLU(),
                )
            ]
        )

    def forward(s, x):
        return s.l(x)


class Products(nn.Module):
    def forward(s, a, b, c):
        a.double() @ b.double()
        torch.einsum("bij,bkj->bik", c, c)
        torch.addmm(a, a, b)
        torch.baddbmm(c, c, c)
        torch.mv(a, a[0])
        h = (a * 20).to(torch.int8)
        torch._int_mm(h, h.t().contiguous().t())
        f = a.to(torch.float8_e4m3fn)
        one = torch.ones((), device=dev)
        return torch._scaled_mm(
            f,
            b.to(torch.float8_e4m3fn).t().contiguous().t(),
            scale_a=one,
            scale_b=one,
            out_dtype=torch.bfloat16,
        )


bf, fp16 = torch.bfloat16, torch.float16
img = lambda n, s=224, c=3: torch.randn(n, c, s, s, device=dev)
lab = lambda n, k=1000: torch.randint(0, k, (n,), device=dev)
ids = torch.randint(0, 32000, (4, 512), device=dev)
bert = lambda: nn.TransformerEncoder(
    nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, activation="gelu"), 2
)


def llama_infer():
    m = Llama().to(dev).to(bf).eval()
    x = torch.randn(8, 1, 2048, device=dev, dtype=bf)
    return infer(m, x)


def fp32_high():
    torch.backends.cuda.matmul.allow_tf32 = True
    s = train(
        nn.Sequential(nn.Linear(2048, 8192), nn.ReLU(), nn.Linear(8192, 2048)),
        torch.randn(4096, 2048, device=dev),
        opt="adamw",
    )

    def step():
        torch.backends.cuda.matmul.allow_tf32 = True
        s()
        torch.backends.cuda.matmul.allow_tf32 = False

    return step


def compiled():
    m = torch.compile(
        nn.Sequential(nn.LayerNorm(2048), nn.Linear(2048, 8192), nn.GELU(), nn.Linear(8192, 2048)).to(dev)
    )
    return train(m, torch.randn(2048, 2048, device=dev), bf, opt="adamw")


models = {
    "resnet50": lambda: train(tv.resnet50(), img(32), target=lab(32)),
    "resnet50-amp": lambda: train(tv.resnet50(), img(64), fp16, lab(64), cl=True),
    "resnet18-infer": lambda: infer(tv.resnet18(), img(64).half(), half=fp16),
    "vit-b16": lambda: train(tv.vit_b_16(), img(16), bf, lab(16), opt="adamw"),
    "mobilenet-v2": lambda: train(tv.mobilenet_v2(), img(32), target=lab(32)),
    "efficientnet-infer": lambda: infer(tv.efficientnet_b0(), img(32)),
    "convnext": lambda: train(tv.convnext_tiny(), img(16), bf, lab(16)),
    "bert": lambda: train(bert(), torch.randn(16, 256, 768, device=dev), fp16, opt="adamw"),
    "bert-infer": lambda: infer(bert(), torch.randn(16, 256, 768, device=dev)),
    "gpt": lambda: train(GPT(), ids, bf, ids.flatten(), opt="adamw"),
    "gpt-manual": lambda: train(GPT(manual=True), ids, bf, ids.flatten()),
    "llama": lambda: train(
        Llama().to(bf), torch.randn(2, 1024, 2048, device=dev, dtype=bf, requires_grad=True)
    ),
    "llama-decode": llama_infer,
    "unet": lambda: train(UNet(), img(8, 128, 4), fp16),
    "moe": lambda: train(MoE(), torch.randn(2048, 1024, device=dev), bf),
    "dlrm": lambda: train(
        DLRM(), (torch.randn(4096, 13, device=dev), torch.randint(0, 100000, (8, 4096, 4), device=dev))
    ),
    "separable": lambda: train(Separable(), img(32, 56, 256), bf, cl=True),
    "lstm": lambda: train(nn.LSTM(512, 512, 2, batch_first=True), torch.randn(64, 64, 512, device=dev)),
    "conv3d": lambda: train(
        nn.Sequential(nn.Conv3d(8, 32, 3, padding=1), nn.ReLU(), nn.Conv3d(32, 32, 3, stride=2, padding=1)),
        torch.randn(4, 8, 32, 64, 64, device=dev),
    ),
    "conv1d": lambda: train(
        nn.Sequential(
            nn.Conv1d(80, 512, 3, padding=1),
            nn.GELU(),
            nn.Conv1d(512, 512, 3, stride=2, padding=1),
            nn.GELU(),
        ),
        torch.randn(16, 80, 3000, device=dev),
        fp16,
    ),
    "mlp-tf32": fp32_high,
    "products": lambda: infer(
        Products(),
        torch.randn(2048, 2048, device=dev, dtype=bf),
        torch.randn(2048, 2048, device=dev, dtype=bf),
        torch.randn(8, 512, 512, device=dev, dtype=bf),
    ),
    "compiled": compiled,
}
if __name__ == "__main__":
    names = sys.argv[3:] or list(models)
    for name in names:
        try:
            step = models[name]()
            for _ in range(3):
                step()
            torch.cuda.synchronize()
            if sys.argv[1] == "trace":
                with torch.profiler.profile(record_shapes=True) as p:
                    for _ in range(2):
                        step()
                        torch.cuda.synchronize()
                        p.step()
                p.export_chrome_trace(f"{sys.argv[2]}/{name}.json.gz")
            else:
                torch.cuda.cudart().cudaProfilerStart()
                torch.cuda._sleep(10)
                step()
                torch.cuda.synchronize()
                torch.cuda.cudart().cudaProfilerStop()
            print(name, "ok", flush=True)
        except Exception as e:
            print(name, "FAILED", repr(e)[:300], flush=True)
        step = None
        torch.cuda.empty_cache()
