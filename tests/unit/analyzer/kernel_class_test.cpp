// SPDX-License-Identifier: Apache-2.0
// Which kernels communicate: names as profilers give them, mangled and not, of each library that has kernels
// of its own, and names of compute kernels that look like them.
#include "metrics/metrics.h"
#include "model/kernel_class.h"
#include "model/model.h"
#include "support/trace_builder.h"
#include "trace/vocabulary/kernel_name.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using trace::identifiersOf;

void expectClass(KernelClass expected, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        EXPECT_EQ(classifyKernel(name), expected) << name;
    }
}

TEST(KernelName, IsWithoutWhatSurroundsIt)
{
    using Identifiers = std::vector<std::string>;
    EXPECT_EQ(identifiersOf("void deep_ep::intranode::dispatch<8, (int)768>(int4*, float*)"),
              (Identifiers{"deep_ep", "intranode", "dispatch"}));
    EXPECT_EQ(identifiersOf("_ZN7deep_ep9intranode8dispatchILi8EEEvPi"),
              (Identifiers{"deep_ep", "intranode", "dispatch"}));
    EXPECT_EQ(
        identifiersOf("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int*)"),
        Identifiers{"multimem_all_reduce_kernel"});
    EXPECT_EQ(identifiersOf("void <unnamed>::f<int>(int)"), Identifiers{"f"});
    EXPECT_EQ(identifiersOf(
                  "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"),
              Identifiers{"nccldevkernel_allreduce_sum_f32_ring_ll"});
    EXPECT_EQ(identifiersOf("ampere_sgemm_128x64_nn"), Identifiers{"ampere_sgemm_128x64_nn"});
    EXPECT_EQ(identifiersOf("_Zbroken"), Identifiers{"_zbroken"});
    for (const std::string& hostile :
         {std::string(), std::string("::"), std::string("<<<<"), std::string(">>>>("),
          std::string(1 << 20, '<'), "_Z" + std::string(1 << 20, 'P'),
          "_Z" + std::string(16000, 'P') + "i"}) {
        EXPECT_LE(identifiersOf(hostile).size(), 1U);
    }
}

TEST(ClassifyKernel, KnowsTheKernelsOfNccl)
{
    expectClass(KernelClass::Communication,
                {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                 "ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)",
                 "_Z37ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE",
                 "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
                 "ncclKernel_Generic_4(ncclDevComm*, channelMasks, ncclWork*)", // RCCL
                 "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16(ncclSymkDevWorkArgs4K)",
                 "ncclSymDevKernel_AllGather_LL(ncclSymDevArgs)",
                 "mscclKernel_Sum_half_Simple(ncclDevComm*)"});
}

TEST(ClassifyKernel, KnowsExpertParallelLibraries)
{
    expectClass(KernelClass::Communication,
                {"void deep_ep::intranode::dispatch<8, 768, 16384>(int4*, float*)",
                 "void deep_ep::internode_ll::combine<true, 7168, 11, 9>(void*, void*)",
                 "_ZN7deep_ep9internode15notify_dispatchILb0ELi4EEEvPKiPi",
                 "void dpsk::ep::internode::notify_dispatch<false, 4>(int const*, long*)",
                 "void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*)",
                 "void hybrid_ep::dispatch_kernel<hybrid_ep::inter_node_group<32, 0>, 4, 8>(int)",
                 "void uccl::internode::combine<8>(int)",
                 "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(int)",
                 "EpCombineInterNodeV1Kernel_bf16",
                 "void a2a_dispatch_send_kernel<true, 16, 8>(unsigned long)",
                 "moeA2ACombineKernel(MoeA2ACombineParams)", "void dlslime::intranode_alltoall_kernel(int)",
                 "nvshmemi_proxy_quiet_entrypoint(int)", "void c10d::nvshmem_extension::allToAllV(void*)"});
}

TEST(ClassifyKernel, KnowsAllReducesOfInference)
{
    expectClass(
        KernelClass::Communication,
        {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
         "_ZN4vllm26cross_device_reduce_2stageI13__nv_bfloat16Li4EEEvPNS_8RankDataE",
         "void aiter::reduce_scatter_cross_device_store<__half, 8>(int)",
         "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(int)",
         "void tensorrt_llm::kernels::moefinalize_allreduce_fusion_kernel_oneshot_lamport<8>(int)",
         "void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8, float>(float*)",
         "void rmsNormLamport<float>(int)",
         "void quickreduce::allreduce_prototype_twoshot<Twoshot<__half, CodecQ4<__half, 4>>, __half>(int)",
         "void turbomind::comm::AllreduceResidualBiasRMSnorm_Simple_Pull<8>(int)",
         "void mscclpp::collective::allreducePacket<0>(int)", "mscclpp::executionKernel(int)"});
}

TEST(ClassifyKernel, KnowsUserbuffersAndSymmetricMemory)
{
    expectClass(KernelClass::Communication,
                {"userbuffers_fp16_sum_inplace_gpu_rr_rs_oop(int, int)", "kuserbuffers_pushsend(int*, int*)",
                 "void c10d::symmetric_memory::one_shot_all_reduce_kernel<c10::BFloat16, 16>(int)",
                 "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(int)",
                 "multimem_all_gather_kernel(char*)", "put_signal_kernel(unsigned int**, int)",
                 "_ZN12_GLOBAL__N_126multimem_all_reduce_kernelIN3c108BFloat16ELi16EEEvPT_mPPjmm"});
}

TEST(ClassifyKernel, IsNotMisledByArgumentsNeighboursAndNames)
{
    expectClass(
        KernelClass::Compute,
        {"ampere_sgemm_128x64_nn",
         "void at::native::vectorized_elementwise_kernel<4, deep_ep::Copy, std::array<char*, 2>>(int)",
         "void copy<ncclDevKernelArgs>(ncclDevKernelArgs)",
         "void cdpsk::ep::CUB_200_NS::DeviceScanKernel<int>(int)", // CUB wrapped for DeepEP's namespace
         "void dpsk::gemm::fp8_gemm_kernel<7168, 2048>(int)",
         "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0, 7168>(float*)",
         "void horovod::common::batched_scaled_memcpy_k<float, 4, float>(int)",
         "void cutlass::device_kernel<flux::AgGemmKernel>(int)", "void flux::gemm_all_reduce_kernel<8>(int)",
         "all_gather_matmul_kernel", "void memorize(int)", "triton_poi_fused_add_mul_0",
         "void warp_reduce_kernel<float>(float*)", "memcpy32_post", ""});
}

TEST(ClassifyKernel, TakesAUsersOwnNames)
{
    const std::vector<std::string> own{"halo_exchange", "my_collectives::"};
    for (const char* name : {"void Halo_Exchange_v2<float>(float*)", "_ZN14my_collectives4pushIfEEvPT_",
                             "void my_collectives::gemm_push<8>(int)"}) {
        EXPECT_EQ(classifyKernel(name), KernelClass::Compute) << name;
        EXPECT_EQ(classifyKernel(name, own), KernelClass::Communication) << name;
    }
    EXPECT_EQ(classifyKernel("void copy<halo_exchange>(int)", own), KernelClass::Compute) << "an argument";
    EXPECT_EQ(classifyKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", own), KernelClass::Communication);
}

TEST(ModelOptions, NameKernelsThatCommunicate)
{
    test::TraceBuilder trace(1);
    trace.steps(4, [](test::StepBuilder& step) {
        step.everyRank().compute(std::chrono::milliseconds(3));
        step.everyRank().compute(std::chrono::milliseconds(1), {.kernel = "void HaloExchange<2>(int*)"});
    });
    ModelOptions options;
    options.communicationKernels = {"haloexchange", "nowhere"};
    const Model model = buildModel(trace.run(), options);
    const metrics::Breakdown total = metrics::computeMetrics(model).total();
    EXPECT_EQ(3 * total.communicationNs, total.computeNs);
    ASSERT_EQ(std::ranges::count(model.issues, "communication_kernel_unused", &trace::IssueRow::id), 1);
    EXPECT_NE(std::ranges::find(model.issues, "communication_kernel_unused", &trace::IssueRow::id)
                  ->message.find("'nowhere'"),
              std::string::npos);
}

} // namespace
} // namespace ringside::model
